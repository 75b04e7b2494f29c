import { nearest } from '@hull/common/nearest.ts'
import { LAYOUT_VIEWS } from '../../routing/layout-views.ts'
import { ROUTE_HOOKS } from '../../routing/route-hooks.ts'
import type { ModuleExport } from './module-exports.ts'

/** Exports that run on the server only. They, and code that only they use, never reach the browser. */
export const SERVER_EXPORTS: string[] = [
  'guard',
  'getData',
  'getMeta',
  'action',
  'uploads',
  'cache',
  'sitemap',
  'configure',
  ...ROUTE_HOOKS
]

const FLAGS = ['streaming', 'serverOnly', 'clientOnly', 'staticData']
const PAGE_EXPORTS = ['default', ...SERVER_EXPORTS, 'onEnter', 'layout', 'path', ...FLAGS]
const COMPONENTS = ['default', ...LAYOUT_VIEWS]
const LAYOUT_EXPORTS = [...COMPONENTS, 'guard', 'getData', 'getMeta', 'layout', 'fallbackFor']

/** Names that every page's context has. `client/context.ts` cannot export them. */
const CONTEXT_NAMES = new Set([
  'actionData',
  'address',
  'changesCookies',
  'clientOnly',
  'cookies',
  'data',
  'fetch',
  'firstRender',
  'effects',
  'form',
  'formToken',
  'hasActed',
  'head',
  'headers',
  'layout',
  'log',
  'once',
  'origin',
  'params',
  'pathname',
  'repeat',
  'reply',
  'req',
  'retry',
  'search',
  'searchErrors',
  'server',
  'serverOnly',
  'session',
  'setCookie',
  'setHeader',
  'signal',
  'snapshot',
  'status',
  'streaming',
  'toMessage',
  'uploads',
  'values',
  'withSchema'
])

/** Describes the problems with the exports of `client/context.ts`. */
export const checkContext = (file: string, exports: ModuleExport[]): string[] =>
  exports
    .filter(({ name }) => CONTEXT_NAMES.has(name))
    .map(({ name }) => `${file}: every page's context has a "${name}" of its own; give the export another name`)

/** Members of unhead's meta that Hull does not support, and what to do instead. */
const UNSUPPORTED_META: Record<string, string> = {
  base: 'a document has one base, in client/index.html',
  noscript: 'put it into the component',
  script: 'put it into client/index.html, or import it in the page; structured data is `jsonLd`',
  style: 'import a stylesheet in the page',
  templateParams: 'write the title out'
}

/** Exports of pages in other frameworks, and those of Hull that take their place. */
const EQUIVALENTS = new Map([
  ['metadata', 'getMeta'],
  ['generateMetadata', 'getMeta'],
  ['meta', 'getMeta'],
  ['getServerSideProps', 'getData'],
  ['getStaticProps', 'getData'],
  ['getInitialProps', 'getData'],
  ['loader', 'getData'],
  ['revalidate', 'cache'],
  ['generateStaticParams', 'sitemap'],
  ['getStaticPaths', 'sitemap']
])

/** Pairs of exports that exclude each other, with the reason. */
const CONFLICTS: Array<[string, string, string]> = [
  ['staticData', 'guard', 'data that depends on the path alone cannot be guarded'],
  ['cache', 'guard', 'a cached document is served to everybody'],
  ['cache', 'onEnter', 'onEnter runs for each visitor, and a cached document is rendered once for all'],
  ['cache', 'streaming', 'a streamed document carries a nonce and cannot be stored'],
  ['serverOnly', 'clientOnly', 'there would be nothing to show'],
  ['serverOnly', 'streaming', 'the parts that follow need a script']
]

/** Describes the problems with a file's exports. Each sentence begins with the file's name. */
export function checkContract(file: string, kind: 'page' | 'layout', exports: ModuleExport[]): string[] {
  const allowed = kind === 'page' ? PAGE_EXPORTS : LAYOUT_EXPORTS
  const named = new Map(exports.map((entry) => [entry.name, entry]))
  const problems: string[] = []
  const say = (problem: string) => problems.push(`${file}: ${problem}`)

  if (!named.has('default')) say(`a ${kind} exports a component as default`)
  for (const { name, literal, isAsync } of exports) {
    if (isAsync && COMPONENTS.includes(name)) say('a component cannot be async: let getData load what it needs')
    if (!allowed.includes(name)) say(`"${name}" is not something a ${kind} exports${suggest(name, allowed)}`)
    else if (FLAGS.includes(name) && typeof literal !== 'boolean') say(`"${name}" must be written as true or false`)
    else if (name === 'layout' && typeof literal !== 'string' && !(literal === null && kind === 'page')) {
      say(`"layout" must be written as the name of a file in client/layouts${kind === 'page' ? ', or null' : ''}`)
    } else if (name === 'path' && typeof literal !== 'string') say(`"path" must be written as an address: '/users/:id'`)
    else if (name === 'fallbackFor' && !(typeof literal === 'string' && /^\/(?:[^?#]*[^/?#])?$/.test(literal)))
      say(`"fallbackFor" must be written as a path: '/team'`)
  }
  for (const member of named.get('getMeta')?.members ?? [])
    if (UNSUPPORTED_META[member])
      say(`"getMeta" returns "${member}", which Hull does not write: ${UNSUPPORTED_META[member]}`)
  for (const [one, other, why] of CONFLICTS)
    if (isOn(named, one) && isOn(named, other)) say(`"${one}" and "${other}" exclude each other: ${why}`)
  return problems
}

const isOn = (named: Map<string, ModuleExport>, name: string) => named.has(name) && named.get(name)!.literal !== false

function suggest(name: string, allowed: string[]): string {
  const equivalent = EQUIVALENTS.get(name)
  const meant = equivalent && allowed.includes(equivalent) ? equivalent : nearest(name, allowed)
  return meant === undefined ? `; it may export ${allowed.join(', ')}, and types` : `; did you mean "${meant}"?`
}
