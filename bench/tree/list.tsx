import { Card } from './card.tsx'
import type { Item } from './data.ts'
import type { LinkType } from './link.ts'

export const listTitle = 'All items'

export function List({ items, Link }: { items: Item[]; Link: LinkType }) {
  return (
    <main className="list">
      <h1>{listTitle}</h1>
      <p>{items.length} items, each with a page of its own.</p>
      <section>
        {items.map((item) => (
          <Card key={item.id} item={item} Link={Link} />
        ))}
      </section>
    </main>
  )
}
