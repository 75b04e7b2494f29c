import { listItems } from './items.ts'

interface Place {
  href: string
  label: string
}

export interface Shelf {
  title: string
  /** Path from the shop's start page to this shelf. */
  steps: Place[]
  below: Place[]
}

const ROOT = '/lab/shop'
const slugOf = (kind: string) => kind.toLowerCase().replaceAll(' ', '-')

/**
 * The shop at `[]`, a category at `['block']`, one of its sizes at `['block', '8 mm']`; undefined for anything else.
 */
export function findShelf([slug, size, ...rest]: string[]): Shelf | undefined {
  const door = { href: ROOT, label: 'Shop' }
  if (slug === undefined)
    return {
      title: 'Shop',
      steps: [door],
      below: kinds().map((kind) => ({ href: `${ROOT}/${slugOf(kind)}`, label: kind }))
    }

  const items = listItems().filter(({ kind }) => slugOf(kind) === slug)
  const kind = items[0]?.kind
  if (kind === undefined || rest.length > 0) return undefined
  const shelf = { href: `${ROOT}/${slug}`, label: kind }
  if (size === undefined)
    return {
      title: kind,
      steps: [door, shelf],
      below: items.map((item) => ({ href: `${shelf.href}/${encodeURIComponent(item.size)}`, label: item.size }))
    }

  const item = items.find((item) => item.size === size)
  return (
    item && {
      title: item.name,
      steps: [door, shelf, { href: `${shelf.href}/${encodeURIComponent(size)}`, label: size }],
      below: [{ href: `/lab/items/${item.id}`, label: `Item ${item.id}` }]
    }
  )
}

const kinds = () => [...new Set(listItems().map(({ kind }) => kind))]
