import type { FastifyInstance, RouteOptions } from 'fastify'

const kRoutes = Symbol('recorded routes')

declare module 'fastify' {
  interface FastifyInstance {
    [kRoutes]?: RecordedRoute[]
  }
}

export interface RecordedRoute {
  methods: string[]
  /** The router's pattern: `/api/orders/:id`. */
  url: string
  /** Its stack names the file that added the route. The stack is formatted only when it is read. */
  added: { stack: string }
}

/** Records all routes that are added from now on, except for pages. */
export function recordRoutes(app: FastifyInstance): void {
  const routes: RecordedRoute[] = []
  app.decorate(kRoutes, routes)
  app.addHook('onRoute', function recordRoute({ method, url, config }: RouteOptions) {
    // Fastify adds HEAD to each GET.
    if (method === 'HEAD' || config?.isPage) return
    const added = {} as RecordedRoute['added']
    Error.captureStackTrace(added, recordRoute)
    routes.push({ methods: [method].flat(), url, added })
  })
}

/** Returns the recorded routes; none if the instance is not of `createFastify`. */
export const recordedRoutes = (app: FastifyInstance): readonly RecordedRoute[] => app[kRoutes] ?? []
