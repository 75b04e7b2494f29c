import { Card } from './card.tsx'
import type { Item } from './data.ts'
import type { LinkType } from './link.ts'

export const detailTitle = (item: Item) => item.title

export function Detail({ item, Link }: { item: Item; Link: LinkType }) {
  return (
    <main className="item">
      <h1>{item.title}</h1>
      <Card item={item} Link={Link} />
      <p>
        <Link href="/list">Back to all items</Link>
      </p>
    </main>
  )
}
