// @fastify/react 1.2 has no types; these are the parts that are used here.
declare module '@fastify/react' {
  export const clientModule: string
  /** Awaits exports of a client module that may be promises: `routes`, `context`, `create`. */
  export function prepareClient<Client>(entries: { ssr: Client }, scope?: unknown): Promise<Client>
}

declare module '@fastify/react/server' {
  /** A page in @fastify/react: its file, its address, and its exports. */
  export interface ReactRoute {
    id: string
    path: string
    configure?: (scope: unknown) => unknown
    [name: string]: unknown
  }
  export function createRoutes(
    modules: { default: Record<string, unknown> } | Promise<{ default: Record<string, unknown> }>
  ): Promise<ReactRoute[]>
}

declare module '@fastify/react/plugin' {
  import type { Plugin } from 'vite'
  export default function viteFastifyReact(options?: { ts?: boolean }): Plugin[]
}

declare module '@fastify/react/client' {
  // A top-level import would make this file a module, which cannot declare modules that do not exist.
  /* oxlint-disable typescript/consistent-type-imports, typescript/no-explicit-any */
  type Ctx = import('../contracts/context.ts').Ctx

  /** Return value of {@link useRouteContext}. */
  export interface RouteContext<Data = any, State = any> {
    /** Data from the page's `getData` and `onEnter`. */
    data: Data
    /** State from `client/context.ts`. In the browser it is a valtio proxy, which can be changed. */
    state: State
    /** Read-only state for rendering. A change renders again. */
    snapshot: State
    /** Title and tags of the page. */
    head: import('../contracts/meta.ts').Meta
    params: Record<string, string | string[]>
    pathname: string
    /** Name of the layout around the page. */
    layout: string | undefined
    clientOnly: boolean
    serverOnly: boolean
    streaming: boolean
    /** True if the page was loaded as a document. */
    firstRender: boolean
    /** On the server only. */
    server?: Ctx['server']
    /** On the server only. */
    req?: Ctx['req']
    /** On the server only. */
    reply?: Ctx['reply']
    /** Other exports of `client/context.ts`. */
    [name: string]: any
  }
  export function useRouteContext<Data = any, State = any>(): RouteContext<Data, State>
  export const isServer: boolean
}

declare module '$app/core.jsx' {
  export { isServer, useRouteContext } from '@fastify/react/client'
  /** Returns an address for a route of the page's `configure`. Without a name, the build names it after the page. */
  export function createServerAction(name?: string): string
}

declare module '$app/core.tsx' {
  export * from '$app/core.jsx'
}
