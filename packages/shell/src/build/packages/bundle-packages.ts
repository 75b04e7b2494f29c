import { realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, parse, resolve } from 'node:path'
import { HULL_VERSION } from '@hull/common/version.ts'
import { build, type Plugin, type Rolldown } from 'vite'
import { PACKAGES_FOLDER, PACKAGES_LIST, type BundledPackages } from '../../server/bundled-packages.ts'
import {
  COMMON_JS,
  ENTRY,
  OTHERS,
  SCHEMA_COMPILERS,
  toEntryFile,
  toFile,
  toPath,
  toThreadFile
} from './bundle-names.ts'
import { asciiStrings } from '../ascii-strings.ts'
import { lateCompilers, packageEntries, sourceLocations } from './bundle-plugins.ts'
import { createHullFinder, findPackageFolder, HULL_PACKAGES, SERVER_PACKAGES } from './installed-packages.ts'

/** Packages that a server loads in development only. */
const DEVELOPMENT = ['vite', '@fastify/vite', '@fastify/react']

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
      // A copy of Node's own streams, which takes a fortieth of a start.
      resolve: { alias: [{ find: /^readable-stream$/, replacement: 'node:stream' }] },
      plugins: [packageEntries(new Map([...files, ...compilers])), lateCompilers, locations, asciiStrings],
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
            comments: false,
            ...output
          }
        }
      }
    })
  rmSync(folder, { recursive: true, force: true })
  const entryFileNames = ({ name }: { name: string }) => toEntryFile(name)
  await bundle({ entryFileNames, codeSplitting: { groups: toGroups(ownerOf) } }, toInput(files))
  // Apart from the rest, which a thread would otherwise load, and which a server without schemas would load with these.
  const bundled = new Set<string>()
  for (let found = [...threads]; found.length > 0; found = [...threads].filter(([name]) => !bundled.has(name))) {
    for (const [name] of found) bundled.add(name)
    // It adds the threads that these start.
    await bundle({ entryFileNames: ({ name }) => toThreadFile(name) }, Object.fromEntries(found))
  }
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
  const findHull = createHullFinder(project)
  const entries = new Map(HULL_PACKAGES.map((name) => [`\0${ENTRY}${name}`, name]))
  return (id = '') => entries.get(id) ?? findHull(id)?.name ?? OTHERS
}
