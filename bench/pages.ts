import type { ContenderName } from './options.ts'

export interface BenchPage {
  /** Path as the report shows it. */
  label: string
  path: string
  /** Short description of the page's content. */
  tree: string
  /** Path of the floor's page that has the same tree. */
  floorPath: string
  /** Contenders that serve the page. @default all */
  only?: readonly ContenderName[]
  /** The page is not part of the measure `cpu`; another measure requests it. */
  isExtra?: true
  /** An element of the page, and how often it occurs. */
  has: { element: string; count: number }
}

/** Hull with and without its inbox. */
export const HULLS = ['hull', 'hull-no-inbox'] as const satisfies ContenderName[]

export const isHull = (name: ContenderName) => HULLS.some((hull) => hull === name)

/** `/list` with links that are plain elements. */
export const PLAIN_LIST = '/plain'

const page = (path: string, tree: string, element: string, count: number): BenchPage => ({
  label: path,
  path,
  tree,
  floorPath: path,
  has: { element, count }
})

const list = { floorPath: '/list', only: HULLS, has: { element: 'article', count: 50 } }

/** Path of `/list` with this many cards. */
export const cardsPath = (count: number) => `/cards/${count}`

/** Contenders whose growth is measured. */
export const GROWING = ['floor', ...HULLS] as const satisfies ContenderName[]

const many = page(cardsPath(200), 'the number of cards in the path', 'article', 200)

/** Pages that all contenders serve, then pages that only some contenders serve. */
export const PAGES: BenchPage[] = [
  page('/', 'a heading, a sentence and two links', 'nav', 2),
  page('/list', '50 cards with a link each', 'article', 50),
  { ...page('/item/7', 'one card', 'article', 1), label: '/item/[id]' },
  page('/rows', 'a table of 1,000 rows', 'tr', 1_001),
  page('/deep', '511 replies, nine levels of small components', 'span', 511),
  page('/suspend', 'two lists that suspend', 'dt', 40),
  page('/stream', 'the same, streamed', 'dt', 40),
  page('/form', 'a form of fourteen fields', 'label', 14),
  { ...list, label: '/cached', path: '/cached', tree: '/list, cached by the server' },
  { ...list, label: PLAIN_LIST, path: PLAIN_LIST, tree: '/list with plain <a>', isExtra: true },
  { ...many, label: '/cards/[count]', only: GROWING, isExtra: true }
]

export const isServedBy = ({ only }: BenchPage, name: ContenderName) => only?.includes(name) ?? true
