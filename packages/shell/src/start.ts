import { existsSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { constants } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import manifest from '../package.json' with { type: 'json' }
import { PACKAGES_FOLDER, PACKAGES_LIST, type BundledPackages } from './server/bundled-packages.ts'
import './compile-cache.ts'

/*
 * A preload for production, as in `node --import=@hull/shell/start server.ts`: makes Node load the packages as the build
 * has bundled them into `dist` of the current folder, and caches compiled code. Without the bundle, or if it is of
 * another version, Node loads the packages. A signal ends the process until the server has its own listeners: the first
 * process of a container ignores a signal without one.
 */
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  // oxlint-disable-next-line hull/safe-callbacks -- it does not throw
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal])
  })

const folder = resolve('dist', PACKAGES_FOLDER)
const bundled = findBundled()
if (bundled.size > 0) {
  const bundle = pathToFileURL(join(folder, '/')).href
  registerHooks({
    resolve(specifier, context, next) {
      // A file of the bundle names others by their place, and Node would look for links and for a package.json each time.
      if (specifier.startsWith('.') && context.parentURL?.startsWith(bundle))
        return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
      const found = next(specifier, context)
      const url = bundled.get(found.url)
      return url === undefined ? found : { ...found, url, format: 'module' }
    }
  })
}

/** Returns URLs of bundled modules, by those of the modules that they replace. */
function findBundled(): Map<string, string> {
  const list = resolve(folder, PACKAGES_LIST)
  if (!existsSync(list)) return new Map()
  const { version, entries } = JSON.parse(readFileSync(list, 'utf8')) as BundledPackages
  const files = Object.entries(entries).map(([from, to]) => [resolve(from), resolve(folder, to)] as const)
  if (version !== manifest.version || !files.every(([from]) => existsSync(from))) return new Map()
  return new Map(files.map(([from, to]) => [pathToFileURL(from).href, pathToFileURL(to).href]))
}
