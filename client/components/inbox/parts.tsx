import type { ReactNode } from 'react'
import { Text } from './text.tsx'

/** Where there is nothing: what will appear here, and how to make it happen. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  )
}

export interface Way {
  href: string
  label: string
  isCurrent?: boolean
  /** How many there are behind it. */
  count?: ReactNode
}

/** Views of one thing side by side, each a link. */
export function Tabs({ label, tabs }: { label: string; tabs: Way[] }) {
  return (
    <nav className="tabs" aria-label={label}>
      <ul>
        {tabs.map(({ href, label, isCurrent, count }) => (
          <li key={label}>
            <a href={href} aria-current={isCurrent ? 'page' : undefined}>
              {label}
              {count !== undefined && <span className="tabs-count">{count}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Links to the pages above this one, the highest first. */
export function Crumbs({ crumbs }: { crumbs: { href: string; label: string }[] }) {
  return (
    <nav className="inbox-crumbs" aria-label="Breadcrumb">
      <ol>
        {crumbs.map(({ href, label }) => (
          <li key={href}>
            <a href={href}>
              <Text max={80}>{label}</Text>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}

interface PagerProps {
  previous?: string
  /** @default Previous */
  previousLabel?: string
  next?: string
  /** @default Next */
  nextLabel?: string
  children?: ReactNode
}

/** Links to the pages before and after this one of a list. */
export function Pager({ previous, previousLabel = 'Previous', next, nextLabel = 'Next', children }: PagerProps) {
  if (!previous && !next) return null
  return (
    <nav className="pager" aria-label="Pages of the list">
      {previous ? (
        <a className="button" href={previous} rel="prev">
          {previousLabel}
        </a>
      ) : null}
      {next ? (
        <a className="button" href={next} rel="next">
          {nextLabel}
        </a>
      ) : null}
      {children}
    </nav>
  )
}

/** Names and what they stand for, both as somebody else wrote them. */
export function KeyValues({
  rows,
  label
}: {
  rows: ReadonlyArray<readonly [name: string, value: string]>
  label: string
}) {
  return (
    <table className="key-values" aria-label={label}>
      <tbody>
        {rows.map(([name, value], i) => (
          // oxlint-disable-next-line react/no-array-index-key
          <tr key={i}>
            <th scope="row">
              <Text max={200}>{name}</Text>
            </th>
            <td>
              <Text>{value}</Text>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A part of a page with its heading. */
export function Section({
  id,
  title,
  aside,
  children
}: {
  id: string
  title: ReactNode
  aside?: ReactNode
  children: ReactNode
}) {
  return (
    <section className="part" aria-labelledby={id}>
      <header className="part-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}
