import type { Item } from './data.ts'
import type { LinkType } from './link.ts'

export function Card({ item, Link }: { item: Item; Link: LinkType }) {
  return (
    <article className="card">
      <h2>
        <Link href={`/item/${item.id}`} className="card-link">
          {item.title}
        </Link>
      </h2>
      <p>{item.summary}</p>
      <ul className="tags">
        {item.tags.map((tag) => (
          <li key={tag}>{tag}</li>
        ))}
      </ul>
      <footer>
        <span>{item.author}</span>
        <time dateTime={item.added}>{item.added}</time>
        <strong>{item.price}</strong>
      </footer>
    </article>
  )
}
