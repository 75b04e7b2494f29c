import type { ReactNode } from 'react'
import { LinkButton } from './controls.tsx'
import type { InboxSample } from '../../../plugins/inbox.ts'
import { MAX_COUNT, withPage } from '../../view.ts'
import type { Paging } from '../../view-models/paging.ts'
import { formatUpTo, withCommas } from './format.ts'
import { Text } from './text.tsx'

/** Title of a page, with what is beside it. */
export function PageHead({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <header className="page-head">
      <h1>{title}</h1>
      {children}
    </header>
  )
}

/** Empty state: says what will appear here, and how to make it happen. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  )
}

interface ErrorNoticeProps {
  children: ReactNode
  /** At the lower edge of the window, where nothing moves when it appears. @default false */
  isFloating?: boolean
}

/** Says why a change was refused, or why nobody was signed in. */
export function ErrorNotice({ children, isFloating = false }: ErrorNoticeProps) {
  return (
    <p className={isFloating ? 'notice notice-bad change-notice' : 'notice notice-bad'} role="alert">
      {children}
    </p>
  )
}

/** Link to a page that produces data; nothing if the application names no such page. */
export function SampleLink({ link }: { link: InboxSample['page'] | undefined }) {
  if (!link) return null
  return (
    <p>
      <LinkButton kind="main" href={link.href} label={link.label} />
    </p>
  )
}

export interface Tab {
  href: string
  label: string
  isCurrent?: boolean
  /** Number of entries in the tab. */
  count?: ReactNode
}

/** Tabs, each a link. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
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

/** Breadcrumbs: the page's parents, topmost first, and its own name, on one line that is clipped if necessary. */
export function Crumbs({ above, here }: { above: { href: string; label: string }[]; here: string }) {
  return (
    <nav className="inbox-crumbs" aria-label="Breadcrumb">
      <ol>
        {above.map(({ href, label }) => (
          <li key={href}>
            <a href={href}>
              <Text max={80}>{label}</Text>
            </a>
          </li>
        ))}
        <li>
          <span aria-current="page">
            <Text max={80}>{here}</Text>
          </span>
        </li>
      </ol>
    </nav>
  )
}

interface PagerProps {
  paging: Paging
  /** Address of the list with its view, without a page. */
  here: string
  /** Largest total that is exact. @default MAX_COUNT */
  most?: number
  /** Whether the newest rows are first. @default false */
  isByTime?: boolean
}

/** Position in a list, with links to the previous and next page. */
export function Pager({ paging, here, most = MAX_COUNT, isByTime = false }: PagerProps) {
  const { first, last, total, next, previous, isCut } = paging
  if (total === 0) return null
  const [previousLabel, nextLabel] = isByTime ? ['Newer', 'Older'] : ['Previous', 'Next']
  const of = formatUpTo(total, most)
  return (
    <nav className="pager" aria-label="Pages of the list">
      <span className="pager-place">
        {first === undefined || last === undefined
          ? `${of} in total`
          : `${withCommas(first)}–${withCommas(last)} of ${of}`}
      </span>
      {previous && (
        <LinkButton href={withPage(here, previous)} rel="prev" label={isCut ? 'First page' : previousLabel} />
      )}
      {next && <LinkButton href={withPage(here, next)} rel="next" label={nextLabel} />}
    </nav>
  )
}

interface PlainPagerProps {
  /** Cursors of the pages beside this one. */
  list: { next?: string | undefined; previous?: string | undefined }
  /** Address of the list with its view, without a page. */
  here: string
}

/** Links to the newer and older page of a list that is not counted. */
export function PlainPager({ list: { next, previous }, here }: PlainPagerProps) {
  if (next === undefined && previous === undefined) return null
  return (
    <nav className="pager" aria-label="Pages of the list">
      {previous !== undefined && <LinkButton href={withPage(here, { cursor: previous })} rel="prev" label="Newer" />}
      {next !== undefined && <LinkButton href={withPage(here, { cursor: next })} rel="next" label="Older" />}
    </nav>
  )
}

/** A name and its value in a list with the class `pairs`. */
export const Pair = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
)

/** Names and values from outside, shown as text. */
export function KeyValues({
  rows,
  label
}: {
  rows: ReadonlyArray<readonly [name: string, value: string, href?: string | undefined]>
  label: string
}) {
  return (
    <table className="key-values" aria-label={label}>
      <tbody>
        {rows.map(([name, value, href], i) => (
          // oxlint-disable-next-line react/no-array-index-key
          <tr key={i}>
            <th scope="row">
              <Text max={200}>{name}</Text>
            </th>
            <td>
              {href === undefined ? (
                <Text>{value}</Text>
              ) : (
                <a href={href}>
                  <Text>{value}</Text>
                </a>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface InProjectProps {
  id: number
  projects: { id: number; name: string }[]
  /** Maximum characters. @default 40 */
  max?: number
}

/** The name of a row's project, if the list has rows of several. */
export function InProject({ id, projects, max = 40 }: InProjectProps) {
  const name = projects.find((project) => project.id === id)?.name
  if (name === undefined) return null
  return (
    <>
      {' in '}
      <Text max={max}>{name}</Text>
    </>
  )
}

/** Section of a page with a heading. */
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
