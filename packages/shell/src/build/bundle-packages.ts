import { realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, parse, relative, resolve, sep } from 'node:path'
import { HULL_VERSION } from '@hull/common/version.ts'
import { build, type Plugin, type Rolldown } from 'vite'
import { PACKAGES_FOLDER, PACKAGES_LIST, type BundledPackages } from '../server/bundled-packages.ts'
import { findPackageFolder, HULL_PACKAGES, SERVER_PACKAGES } from './installed-packages.ts'

/** CommonJS packages that an application and Hull's packages both import. */
const COMMON_JS = ['fastify', 'fastify-plugin']

/** CommonJS packages that this package loads with the first schema of a route. */
const SCHEMA_COMPILERS = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler']

/** Packages that a server loads in development only. */
const DEVELOPMENT = ['vite', '@fastify/vite', '@fastify/react']

/** Name in the bundle for all packages that are not Hull's. It has a scope, so that all files are equally deep. */
const OTHERS = '@npm/packages'

const ENTRY = 'hull:entry/'

export interface BundlePackagesOptions {
  /** Folder of the project, which contains `server.ts`. */
  root: string
}

/**
 * Vite plugin that bundles the packages of the server into few files, because each file that a server loads takes time.
 * `node --import=@hull/shell/start server.ts` loads them. `server.ts` and the project's other files are not bundled.
 * @see docs/decisions/063-bundled-packages.md
 */
export function bundlePackages({ root }: BundlePackagesOptions): Plugin {
  return {
    name: 'hull:bundle-packages',
    buildApp: {
      order: 'post',
      async handler({ config }) {
        const folder = resolve(config.root, config.build.outDir, PACKAGES_FOLDER)
        await writeBundle(realpathSync(root), folder)
      }
    }
  }
}

async function writeBundle(project: string, folder: string): Promise<void> {
  const files = findEntries(project, [...SERVER_PACKAGES, ...COMMON_JS])
  const compilers = findEntries(import.meta.dirname, SCHEMA_COMPILERS)
  const ownerOf = createOwners(project)
  /** Sources of the worker threads of Hull's packages, by name. */
  const threads = new Map<string, string>()
  const locations = sourceLocations(join(folder, toFile(OTHERS, 'index')), (source) => {
    const owner = ownerOf(source)
    if (owner === OTHERS) return undefined
    const name = `${owner}/${parse(source).name}`
    threads.set(name, source)
    return join(folder, toThreadFile(name))
  })
  const bundle = (output: Rolldown.OutputOptions, input: Record<string, string>) =>
    build({
      configFile: false,
      root: project,
      logLevel: 'warn',
      publicDir: false,
      plugins: [packageEntries(new Map([...files, ...compilers])), locations],
      ssr: { noExternal: true, external: DEVELOPMENT },
      build: {
        ssr: true,
        outDir: folder,
        emptyOutDir: false,
        minify: false,
        rolldownOptions: {
          input,
          checks: { bundlerTimings: false },
          output: {
            chunkFileNames: ({ name, moduleIds }) =>
              toFile(ownerOf(moduleIds.at(-1)), `${name.replace(/^.*\//, '')}-[hash]`),
            ...output
          }
        }
      }
    })
  rmSync(folder, { recursive: true, force: true })
  const entryFileNames = ({ name }: { name: string }) => toEntryFile(name)
  await bundle({ entryFileNames, codeSplitting: { groups: toGroups(ownerOf) } }, toInput(files))
  // Apart from the rest, which a thread would otherwise load, and which a server without schemas would load with these.
  await bundle({ entryFileNames: ({ name }) => toThreadFile(name) }, Object.fromEntries(threads))
  await bundle({ entryFileNames }, toInput(compilers))
  const list: BundledPackages = {
    version: HULL_VERSION,
    entries: Object.fromEntries(
      [...files, ...compilers].map(([name, file]) => [toPath(project, file), toEntryFile(name)])
    )
  }
  writeFileSync(join(folder, PACKAGES_LIST), JSON.stringify(list, null, 2) + '\n')
}

/** Returns the file that Node loads for each of the packages that exists, seen from a folder. */
function findEntries(folder: string, names: readonly string[]): Map<string, string> {
  const require = createRequire(join(folder, 'package.json'))
  const existing = names.filter((name) => findPackageFolder(name, folder) !== undefined)
  return new Map(existing.map((name) => [name, realpathSync(require.resolve(name))]))
}

const toInput = (entries: ReadonlyMap<string, string>) =>
  Object.fromEntries([...entries.keys()].map((name) => [name, ENTRY + name]))

/** Adds an entry for each package. Entries of CommonJS packages export the same to `import` and to `require`. */
const packageEntries = (files: Map<string, string>): Plugin => ({
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

/**
 * Keeps the values of `import.meta.url` and `import.meta.dirname`, by which packages find their data, and replaces the
 * files of worker threads.
 * @param to any file of the bundle
 * @param toThread returns the file in the bundle for the source of a thread; undefined if it is not bundled
 */
const sourceLocations = (to: string, toThread: (source: string) => string | undefined): Plugin => ({
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

/** One file for all modules of an owner that every start loads. A group includes its dependencies, so they are first. */
const toGroups = (ownerOf: (id: string) => string) =>
  [OTHERS, ...HULL_PACKAGES].map((owner, at) => ({
    name: owner,
    test: (id: string) => ownerOf(id) === owner,
    tags: ['$initial' as const],
    priority: HULL_PACKAGES.length - at
  }))

/** Returns a function that names the package of a module, if it is one of Hull's. */
function createOwners(project: string): (id?: string) => string {
  const folders = HULL_PACKAGES.flatMap((name) => {
    const folder = findPackageFolder(name, project)
    return folder === undefined ? [] : [{ name, folder: folder + sep }]
  })
  return (id = '') =>
    folders.find(({ name, folder }) => id.startsWith(folder) || id === `\0${ENTRY}${name}`)?.name ?? OTHERS
}

/**
 * Error reports do not count functions of a folder `node_modules` as the application's own. Node parses a `.js` file to
 * find its format if no package.json is near.
 */
const toFile = (owner: string, name: string) => `node_modules/${owner}/${name}.mjs`

const isCommonJs = (name: string) => COMMON_JS.includes(name) || SCHEMA_COMPILERS.includes(name)

const toEntryFile = (name: string) => (isCommonJs(name) ? toFile(OTHERS, basename(name)) : toFile(name, 'index'))

/** @param name of a package and its thread, such as `@hull/inbox/worker` */
const toThreadFile = (name: string) => toFile(dirname(name), basename(name))

const toPath = (from: string, to: string) => relative(from, to).replaceAll(sep, '/')
