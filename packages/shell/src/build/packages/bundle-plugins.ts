import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import type { Plugin } from 'vite'
import { ENTRY, isCommonJs, SCHEMA_COMPILERS, toPath } from './bundle-names.ts'

/** Adds an entry for each package. Entries of CommonJS packages export the same to `import` and to `require`. */
export const packageEntries = (files: Map<string, string>): Plugin => ({
  name: 'hull:package-entries',
  resolveId: {
    filter: { id: new RegExp(`^${ENTRY}`) },
    handler: (id) => `\0${id}`
  },
  load: {
    filter: { id: new RegExp(`^\0${ENTRY}`) },
    handler(id) {
      const name = id.slice(ENTRY.length + 1)
      const file = files.get(name)!
      const source = JSON.stringify(file)
      if (!isCommonJs(name)) return `export * from ${source}`
      const names = Object.keys(createRequire(file)(file) as object).filter((key) => key !== 'default')
      return [
        `import exported from ${source}`,
        "export { exported as default, exported as 'module.exports' }",
        `export const { ${names.join(', ')} } = exported`
      ].join('\n')
    }
  }
})

/** Makes Fastify itself load the compilers from their own files, which are beside its own. */
export const lateCompilers: Plugin = {
  name: 'hull:late-compilers',
  enforce: 'pre',
  resolveId: {
    filter: { id: new RegExp(`^(?:${SCHEMA_COMPILERS.join('|')})$`) },
    handler: (id) => ({ id: `./${basename(id)}.mjs`, external: true })
  }
}

/**
 * Keeps the values of `import.meta.url` and `import.meta.dirname`, because packages locate their data with them, and
 * replaces the files of worker threads.
 * @param to any file of the bundle
 * @param toThread returns the file in the bundle for the source of a thread; undefined if it is not bundled
 */
export const sourceLocations = (to: string, toThread: (source: string) => string | undefined): Plugin => ({
  name: 'hull:source-locations',
  enforce: 'pre',
  transform: {
    filter: { code: LOCATION, id: { exclude: /^\0/ } },
    handler(code, id) {
      const toUrl = (file: string) => `new URL(${JSON.stringify(toPath(dirname(to), file))}, import.meta.url)`
      return code.replaceAll(new RegExp(LOCATION, 'g'), (_, _quote, thread: string | undefined, property: string) => {
        if (thread !== undefined) {
          const source = join(dirname(id), thread)
          return toUrl(toThread(source) ?? source)
        }
        return property === 'url'
          ? `${toUrl(id)}.href`
          : `(import.meta.dirname + '/' + ${JSON.stringify(toPath(dirname(to), dirname(id)))})`
      })
    }
  }
})

/** The file of a worker thread beside a module, or the module's own location. */
const LOCATION = /new URL\((['"])(\.\/[\w-]*worker\.[jt]s)\1, import\.meta\.url\)|\bimport\.meta\.(url|dirname)\b/
