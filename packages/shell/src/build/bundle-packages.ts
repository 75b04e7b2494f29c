import { realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { HULL_VERSION } from '@hull/common/version.ts'
import { build, type Plugin } from 'vite'
import { PACKAGES_FOLDER, PACKAGES_LIST, type BundledPackages } from '../server/bundled-packages.ts'
import { findPackageFolder, HULL_PACKAGES, SERVER_PACKAGES } from './installed-packages.ts'

/** CommonJS packages that an application and Hull's packages both import. */
const COMMON_JS = ['fastify', 'fastify-plugin']

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
  const files = findEntries(project)
  const ownerOf = createOwners(project)
  await build({
    configFile: false,
    root: project,
    logLevel: 'warn',
    publicDir: false,
    plugins: [packageEntries(files), sourceLocations(join(folder, toFile(OTHERS, 'index')))],
    ssr: { noExternal: true, external: DEVELOPMENT },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: true,
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries([...files.keys()].map((name) => [name, ENTRY + name])),
        checks: { bundlerTimings: false },
        output: {
          entryFileNames: ({ name }) => toEntryFile(name),
          chunkFileNames: ({ name, moduleIds }) =>
            toFile(ownerOf(moduleIds.at(-1)), `${name.replace(/^.*\//, '')}-[hash]`),
          codeSplitting: { groups: toGroups(ownerOf) }
        }
      }
    }
  })
  const list: BundledPackages = {
    version: HULL_VERSION,
    entries: Object.fromEntries([...files].map(([name, file]) => [toPath(project, file), toEntryFile(name)]))
  }
  writeFileSync(join(folder, PACKAGES_LIST), JSON.stringify(list, null, 2) + '\n')
}

/** Returns the file that Node loads for each package that the project has. */
function findEntries(project: string): Map<string, string> {
  const require = createRequire(join(project, 'package.json'))
  const names = [...SERVER_PACKAGES, ...COMMON_JS].filter((name) => findPackageFolder(name, project) !== undefined)
  return new Map(names.map((name) => [name, realpathSync(require.resolve(name))]))
}

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
      if (!COMMON_JS.includes(name)) return `export * from ${source}`
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
 * Keeps the values of `import.meta.url` and `import.meta.dirname`: packages find their threads and data by them.
 * @param to any file of the bundle
 */
const sourceLocations = (to: string): Plugin => ({
  name: 'hull:source-locations',
  enforce: 'pre',
  transform: {
    filter: { code: LOCATION, id: { exclude: /^\0/ } },
    handler: (code, id) =>
      code.replaceAll(new RegExp(LOCATION, 'g'), (_, property) => {
        const path = JSON.stringify(toPath(dirname(to), property === 'url' ? id : dirname(id)))
        return property === 'url' ? `new URL(${path}, import.meta.url).href` : `(import.meta.dirname + '/' + ${path})`
      })
  }
})

const LOCATION = /\bimport\.meta\.(url|dirname)\b/

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

const toEntryFile = (name: string) => (COMMON_JS.includes(name) ? toFile(OTHERS, name) : toFile(name, 'index'))

const toPath = (from: string, to: string) => relative(from, to).replaceAll(sep, '/')
