import type { LinkType } from './link.ts'

export const homeTitle = 'Home'

export function Home({ greeting, Link }: { greeting: string; Link: LinkType }) {
  return (
    <main className="home">
      <h1>{greeting}</h1>
      <p>A small page: a heading, a sentence and two ways on.</p>
      <nav>
        <ul>
          <li>
            <Link href="/list">All items</Link>
          </li>
          <li>
            <Link href="/item/7">Item seven</Link>
          </li>
        </ul>
      </nav>
    </main>
  )
}
