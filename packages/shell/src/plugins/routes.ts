import { existsSync, readdirSync, statSync, type Dirent } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import autoload from '@fastify/autoload'
import fp from 'fastify-plugin'
import { RouteInvalid, RouteLinked } from '../errors.ts'

export interface RoutesOptions {
  /** Folder of the route files. A missing folder has no routes. */
  folder: string
}

/**
 * Registers each file of a folder as a Fastify plugin, below the prefix that its folders name: `api/orders.ts` below
 * `/api`. In a folder with an `index.ts`, only that file is registered.
 * @throws RouteInvalid for a file without a plugin as its default export
 * @throws RouteLinked for a symbolic link to a folder, or to a file that would be registered
 */
export default fp<RoutesOptions>(
  async function routes(app, { folder }) {
    if (!existsSync(folder)) return
    refuseLinks(folder)
    const files: string[] = []
    const matchFilter = (path: string) => files.push(join(folder, path)) > 0
    await app.register(autoload, { dir: folder, forceESM: true, matchFilter })
    for (const file of files) await checkRoute(file)
  },
  { name: 'routes', fastify: '5.x' }
)

const SCRIPT = /(?<!\.d)\.[cm]?[jt]s$/
const INDEX = /^index\.[cm]?[jt]s$/

/** `@fastify/autoload` skips links silently. */
function refuseLinks(folder: string): void {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries)
    if (entry.isSymbolicLink() && isMissed(entry, entries))
      throw new RouteLinked(relative(process.cwd(), join(entry.parentPath, entry.name)))
}

/** Whether routes are missing without the link. */
function isMissed({ name, parentPath }: Dirent, entries: readonly Dirent[]): boolean {
  const stat = statSync(join(parentPath, name), { throwIfNoEntry: false })
  if (stat?.isDirectory()) return true
  const hasIndex = () => entries.some((entry) => entry.parentPath === parentPath && INDEX.test(entry.name))
  return stat !== undefined && SCRIPT.test(name) && !hasIndex()
}

/** Checks a file that is already loaded. `@fastify/autoload` skips a file without a plugin silently. */
async function checkRoute(file: string): Promise<void> {
  const module = (await import(pathToFileURL(file).href)) as Record<string, unknown>
  if (typeof module['default'] === 'function') return
  const found = 'default' in module ? typeof module['default'] : 'missing'
  throw new RouteInvalid(relative(process.cwd(), file), found)
}
