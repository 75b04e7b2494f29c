import { statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { normalizePath, type Plugin, type ViteDevServer } from 'vite'
import { attempt } from '@hull/common/attempt.ts'
import { BROWSER_START, writeBrowserStart } from './client-files.ts'
import { CLIENT_PAGES, SERVER_PAGES, writeClientPages, writeServerPages } from './page-lists.ts'
import { checkContract, SERVER_EXPORTS } from './contract.ts'
import { FALLBACKS, writeFallbacks } from './fallbacks.ts'
import { SERVER_PACKAGES } from '../packages/installed-packages.ts'
import { isFlagOn, parseModule } from './module-exports.ts'
import { writePageTypes } from './page-types.ts'
import { findRoot, type PageRoot } from './roots.ts'
import { readSiteFiles } from './site-files.ts'
import { BROWSER_ENTRY, SERVER_ENTRY } from '../shell-client.ts'
import { stripExports } from './strip-exports.ts'

export interface PagesPluginOptions {
  /** Page roots; the client folder is the first. */
  roots: readonly PageRoot[]
  /** Files and folders with server code, relative to the project's folder. */
  serverOnly: readonly string[]
  /** Output file of the type-only contract checks. */
  typesFolder: string
}

/** For the command `hull-types`. */
export interface PagesPluginApi {
  /** @throws Error with one line per problem of a page or layout */
  writeTypes: () => void
}

/**
 * Checks pages and layouts against their contract, and keeps server code out of the browser and `clientOnly` components
 * off the server. In development, an error in a file appears when the file is requested; a build reports all errors
 * together.
 */
export function pagesPlugin({ roots, typesFolder, serverOnly }: PagesPluginOptions): Plugin {
  const root = roots[0]!.folder
  const project = join(root, '..')
  const nameOf = (id: string) => relative(project, id)
  const isWithin = (id: string, paths: string[]) => paths.some((path) => id === path || id.startsWith(`${path}/`))
  const serverPaths = serverOnly.map((name) => normalizePath(join(project, name)))
  const rootPaths = roots.map(({ folder }) => folder)
  let isBuild = false
  // If a file is invalid, development imports all pages: Vite then describes the error with its place.
  const readServerSite = () => (isBuild ? readSiteFiles(roots) : attempt(() => readSiteFiles(roots)))
  /** Functions that write the virtual modules, by name. */
  const writers: Record<string, () => string> = {
    [CLIENT_PAGES]: () => writeClientPages(readSiteFiles(roots)),
    [SERVER_PAGES]: () => writeServerPages({ roots, client: root, site: readServerSite() }),
    [BROWSER_START]: () => writeBrowserStart(root),
    [FALLBACKS]: () => writeFallbacks(root)
  }
  /** Last code of each virtual module, in development; undefined while a file is invalid. */
  const given = new Map<string, string | undefined>()
  const writeTypes = () => {
    writePageTypes(typesFolder, readSiteFiles(roots))
  }

  return {
    name: 'hull-pages',
    enforce: 'pre',
    api: { writeTypes } satisfies PagesPluginApi,

    configResolved({ command }) {
      isBuild = command === 'build'
    },

    buildStart() {
      if (this.environment.name !== 'client') return
      try {
        writeTypes()
      } catch (error) {
        // Development shows the error when the file is requested.
        if (this.environment.mode === 'build') throw error
      }
    },

    configureServer(server) {
      server.watcher.add(roots.map(({ folder }) => folder))
      const refresh = (file: string) => {
        const found = findRoot(roots, normalizePath(file))
        if (!found) return
        if (sizeOf(file) === 0) return void reportContent(server.watcher, file)
        const isPage = PAGE_FILE.test(found.path)
        // Errors are shown when the module is requested.
        if (isPage) attempt(writeTypes)
        for (const [name, code] of given) {
          if (!isPage && !CONTEXT_FILE.test(found.path) && LISTS.has(name)) continue
          const next = attempt(writers[name]!)
          if (next === code) continue
          given.set(name, next)
          reloadModule(server, name)
        }
      }
      server.watcher.on('add', () => forgetFailedImports(server))
      server.watcher.on('add', refresh).on('unlink', refresh).on('change', refresh)
    },

    load: {
      filter: { id: RESOLVED },
      handler(id) {
        const name = id.slice(1)
        const code = writers[name]!()
        given.set(name, code)
        return code
      }
    },

    transform: {
      filter: { id: PAGE_FILE },
      handler(code, id) {
        const found = findRoot(roots, id)
        const kind = found && /^\/(page|layout)s\//.exec(found.path)?.[1]
        if (!kind) return
        const file = found.root.name + found.path
        const { exports } = parseModule(file, code)
        const problems = checkContract(file, kind as 'page' | 'layout', exports)
        if (problems.length > 0) this.error(problems.join('\n'))
        if (this.environment.name === 'client') return stripExports(file, code, SERVER_EXPORTS)
        return isFlagOn(exports, 'clientOnly') ? stripExports(file, code, ['default']) : undefined
      }
    },

    resolveId: {
      order: 'pre',
      filter: { id: /^(?!\0)/ },
      async handler(source, importer, options) {
        if (source in writers) return `\0${source}`
        if (APP_MODULE.test(source)) return source.includes('mount.ts') ? BROWSER_ENTRY : SERVER_ENTRY
        if (source === '@hull/shell/client') {
          // Without side effects, only the imported parts are bundled, and the first script needs nothing else of it.
          const shell = await this.resolve(source, importer, { ...options, skipSelf: true })
          return shell && { ...shell, moduleSideEffects: false }
        }
        // For builds; in development, Vite reads this from its settings.
        if (this.environment.name !== 'client' && SERVER_PACKAGES.includes(source))
          return { id: source, external: true }
        if (this.environment.name !== 'client' || !importer || importer.includes('/node_modules/')) return
        if (source.startsWith('node:'))
          this.error(`${nameOf(importer)} imports ${source}, which the browser does not have${ADVICE}`)
        if (SERVER_PACKAGES.includes(source))
          this.error(`${nameOf(importer)} brings ${source} into the browser${ADVICE}`)
        // Names like those of packages too: they may be paths of tsconfig.json.
        const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
        if (!resolved || isWithin(resolved.id, rootPaths) || !isWithin(resolved.id, serverPaths)) return resolved
        this.error(`${nameOf(importer)} brings ${nameOf(resolved.id)} into the browser${ADVICE}`)
      }
    }
  }
}

/**
 * The application's two entries, with the names of @fastify/vite. Vite adds the ending of the resolved file, which is
 * compiled in a published package, and resolves that name when it reloads.
 */
const APP_MODULE = /^\/?(?:\$app\/(?:mount|index)\.ts|index\.ts)(?:\.js)?$/

const PAGE_FILE = /\/(pages|layouts)\/.*\.[jt]sx$/

/** Whether there is one decides whether the browser loads the code for it. */
const CONTEXT_FILE = /^\/context\.[jt]s$/

const RESOLVED = new RegExp(`^\0(?:${[CLIENT_PAGES, SERVER_PAGES, BROWSER_START, FALLBACKS].join('|')})$`)

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size

/**
 * Reports a change of a file that was empty when Vite's watcher reported it, once it has content. Programs create or
 * truncate a file and then write to it, and the watcher reports only the first of two changes within 5 ms.
 */
async function reportContent(watcher: ViteDevServer['watcher'], file: string) {
  for (let n = 0; n < EMPTY_CHECKS; n++) {
    await wait(EMPTY_INTERVAL)
    if (sizeOf(file)) return void watcher.emit('change', file)
  }
}

/** Checks of an empty file, and the milliseconds between them; the same as Vite's own. */
const EMPTY_CHECKS = 10
const EMPTY_INTERVAL = 10

/** Reloads open tabs, which have the module from before a file was added, removed, or changed its flags. */
function reloadModule({ environments }: ViteDevServer, name: string) {
  for (const { moduleGraph, hot } of Object.values(environments)) {
    const module = moduleGraph.getModuleById(`\0${name}`)
    if (!module) continue
    moduleGraph.invalidateModule(module)
    hot.send({ type: 'full-reload' })
  }
}

/** Lets the server load modules again whose imports were missing. Vite does so for the browser only. */
function forgetFailedImports({ environments }: ViteDevServer) {
  for (const { name, moduleGraph } of Object.values(environments)) if (name !== 'client') moduleGraph.invalidateAll()
}

/** Modules that list pages, written again when a page, a layout or `context.ts` changes. */
const LISTS = new Set([CLIENT_PAGES, SERVER_PAGES])

const ADVICE =
  ': only what runs on the server alone, such as guard, getData, getMeta and action, may use server code. Return the value from getData, or move code for both sides to client/'
