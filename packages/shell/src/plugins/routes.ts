import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import autoload from '@fastify/autoload'
import fp from 'fastify-plugin'
import { RouteInvalid } from '../errors.ts'

export interface RoutesOptions {
  /** Folder of the route files. A missing folder has no routes. */
  folder: string
}

/**
 * Registers each file of a folder as a Fastify plugin, below the prefix that its folders name: `api/orders.ts` below
 * `/api`. In a folder with an `index.ts`, only that file is registered.
 * @throws RouteInvalid for a file without a plugin as its default export
 */
export default fp<RoutesOptions>(
  async function routes(app, { folder }) {
    if (!existsSync(folder)) return
    const files: string[] = []
    const matchFilter = (path: string) => files.push(join(folder, path)) > 0
    await app.register(autoload, { dir: folder, forceESM: true, matchFilter })
    for (const file of files) await checkRoute(file)
  },
  { name: 'routes', fastify: '5.x' }
)

/** Checks a file that is already loaded. `@fastify/autoload` skips a file without a plugin silently. */
async function checkRoute(file: string): Promise<void> {
  const module = (await import(pathToFileURL(file).href)) as Record<string, unknown>
  if (typeof module['default'] === 'function') return
  const found = 'default' in module ? typeof module['default'] : 'missing'
  throw new RouteInvalid(relative(process.cwd(), file), found)
}
