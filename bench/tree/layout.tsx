import type { ReactNode } from 'react'
import type { LinkType } from './link.ts'

const PLACES = [
  { href: '/', label: 'Home' },
  { href: '/list', label: 'Items' },
  { href: '/rows', label: 'Rows' },
  { href: '/deep', label: 'Replies' },
  { href: '/form', label: 'Order' }
]

/** Layout of every page: a header with navigation, the page, a footer. */
export function Layout({ path, Link, children }: { path: string; Link: LinkType; children: ReactNode }) {
  return (
    <div className="frame">
      <header className="bar">
        <strong>Bench</strong>
        <nav aria-label="Main">
          <ul>
            {PLACES.map(({ href, label }) => (
              <li key={href}>
                <Link href={href} aria-current={path === href ? 'page' : undefined}>
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      {children}
      <footer className="foot">
        <p>The same frame on every page.</p>
      </footer>
    </div>
  )
}
