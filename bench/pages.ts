import type { ContenderName } from './options.ts'

export interface BenchPage {
  /** Address as the report shows it. */
  label: string
  path: string
  /** The page of the floor that has the same tree. */
  floorPath: string
  /** Who serves it. @default everybody */
  only?: ContenderName
  /** Cards in its tree. */
  cards: number
}

/** The pages everybody serves, and one that is Hull's own. */
export const PAGES: BenchPage[] = [
  { label: '/', path: '/', floorPath: '/', cards: 0 },
  { label: '/list', path: '/list', floorPath: '/list', cards: 50 },
  { label: '/item/[id]', path: '/item/7', floorPath: '/item/7', cards: 1 },
  { label: '/cached', path: '/cached', floorPath: '/list', only: 'hull', cards: 50 }
]

export const isServedBy = (page: BenchPage, name: ContenderName) => page.only === undefined || page.only === name
