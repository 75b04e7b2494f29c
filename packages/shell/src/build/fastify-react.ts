import MagicString from 'magic-string'
import type { Plugin } from 'vite'
import { toShellModule } from './shell-client.ts'
import { findRoot, type PageRoot } from './pages/roots.ts'

/**
 * Imports of pages written for @fastify/react, and their replacements in `packages/shell/src/client/fastify-react/`.
 */
const REPLACEMENTS: Array<[source: RegExp, file: string]> = [
  [/^@fastify\/react\/client$/, 'client.ts'],
  [/^\/?\$app\/core(\.[jt]sx?)?$/, 'core.ts'],
  [/^react-router(-dom)?$/, 'router.tsx']
]

const ALIASES = REPLACEMENTS.map(([find, file]) => ({ find, replacement: toShellModule(`fastify-react/${file}`) }))

/** Imports without a replacement, and what to do instead. */
const UNSUPPORTED: Array<[source: RegExp, advice: string]> = [
  [/^@unhead\/react(\/|$)/, 'title and tags of a page are what its getMeta returns'],
  [/^@fastify\/react\/server$/, 'the build makes the routes from the files in client/pages'],
  [/^\/?\$app\//, 'a page may import only $app/core']
]

/** Exports of each replacement. An import of any other name fails with advice. */
const NAMES: Record<string, string[]> = {
  'client.ts': ['isServer', 'useRouteContext'],
  'core.ts': ['createServerAction', 'isServer', 'useRouteContext'],
  'router.tsx': ['Link', 'NavLink', 'useLocation', 'useNavigate', 'useParams', 'useSearchParams']
}

const ADVICE: Record<string, string> = {
  useServerAction: 'fetch in getData with ctx.fetch, and call refresh() of @hull/shell/client to fetch again',
  hydrateRoutes: '@hull/shell hydrates the page',
  RouteContext: 'use useRouteContext()'
}

/** The template, which imports the browser's entry. */
const TEMPLATE = 'client/index.html'

const UNNAMED_ACTION = /\bcreateServerAction\(\s*\)/g

/**
 * Builds pages written for @fastify/react without changes. Unsupported imports fail with an error that says what to do.
 */
export function fastifyReactPlugin({ roots }: { roots: readonly PageRoot[] }): Plugin {
  const isOwn = (file: string) => findRoot(roots, file) !== undefined
  const toFile = (file: string) => {
    const found = findRoot(roots, file)
    return found ? found.root.name + found.path : file
  }

  return {
    name: 'hull-fastify-react',
    enforce: 'pre',

    // In development, Vite lets Node load packages before it asks plugins, unless there is an alias.
    config: (_config, { command }) => ({ resolve: { alias: command === 'serve' ? ALIASES : [] } }),

    resolveId: {
      order: 'pre',
      handler(source, importer) {
        if (source in STUBS) return STUB_PREFIX + source
        if (!importer || !isOwn(importer)) return
        for (const { find, replacement } of ALIASES) if (find.test(source)) return replacement
        if (toFile(importer) === TEMPLATE) return
        for (const [pattern, advice] of UNSUPPORTED)
          if (pattern.test(source))
            this.error(`${toFile(importer)} imports ${source}, which Hull does not have: ${advice}`)
      }
    },

    load: {
      filter: { id: RESOLVED_STUB },
      handler: (id) => STUBS[id.slice(STUB_PREFIX.length)]
    },

    transform: {
      filter: { id: /\.[jt]sx?$/ },
      handler(code, id) {
        if (!isOwn(id)) return
        for (const problem of findMissing(code, toFile(id))) this.error(problem)
        if (!code.includes('createServerAction')) return
        const named = new MagicString(code)
        let count = 0
        // Server and browser load modules in different orders, so a counter at run time would give different names.
        named.replace(UNNAMED_ACTION, () => `createServerAction(${JSON.stringify(toActionName(toFile(id), count++))})`)
        return named.hasChanged()
          ? { code: named.toString(), map: named.generateMap({ hires: 'boundary' }) }
          : undefined
      }
    }
  }
}

/**
 * Imports of @fastify/react's functions that Hull replaces, and code that replaces them: Youch renders its error page
 * in development; the other has the templates of its documents and code that writes into a new project.
 */
const STUBS: Record<string, string> = {
  youch: 'export default undefined',
  '@fastify/vite/utils':
    'export const createHtmlTemplateFunction = undefined, removeHtmlModuleScripts = undefined, resolvePkgDir = undefined'
}
const STUB_PREFIX = '\0hull:stub/'
const RESOLVED_STUB = new RegExp(`^${STUB_PREFIX}`)

const IMPORT = /^\s*import\s*(?!type\b)(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]/gm

function* findMissing(code: string, file: string): Generator<string> {
  for (const [, list, source] of code.matchAll(IMPORT)) {
    const [, target] = REPLACEMENTS.find(([pattern]) => pattern.test(source!)) ?? []
    if (!target) continue
    for (const part of list!.split(',')) {
      const name = part.trim().split(/\s+as\s+/)[0]!
      if (name === '' || name.startsWith('type ') || NAMES[target]!.includes(name)) continue
      yield `${file} imports ${name} from ${source}, which Hull does not have: ${ADVICE[name] ?? `it has ${NAMES[target]!.join(', ')}`}`
    }
  }
}

const toActionName = (file: string, count: number) =>
  file
    .replace(/^client\/(pages\/)?/, '')
    .replace(/\.\w+$/, '')
    .replaceAll(/[^\w-]+/g, '-') + (count ? `-${count}` : '')
