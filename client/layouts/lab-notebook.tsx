import { useState } from 'react'
import type { Ctx, LayoutProps } from '@hull/shell/client'

export const layout = 'lab'

const PAGES = [
  ['/lab/layout/a', 'Page A'],
  ['/lab/layout/b', 'Page B']
] as const

export const getData = ({ pathname }: Ctx) => ({ pathname })

/** Shared by two pages: the count and the note survive a navigation between them. */
export default function NotebookLayout({ data: { pathname }, children }: LayoutProps<typeof getData>) {
  const [count, setCount] = useState(0)
  const [note, setNote] = useState('')
  return (
    <div className="stack">
      {children}
      <section className="lab-notebook" aria-labelledby="notebook">
        <h2 id="notebook">The layout they share</h2>
        <div className="row">
          <button className="button" type="button" onClick={() => setCount(count + 1)}>
            Count
          </button>
          <output className="lab-count">{count}</output>
        </div>
        <div className="field">
          <label htmlFor="note">Note</label>
          <input
            className="input"
            id="note"
            value={note}
            onChange={(event) => setNote(event.target.value)}
            autoComplete="off"
          />
        </div>
      </section>
      <nav className="row" aria-label="Pages of this layout">
        {PAGES.map(([href, label]) => (
          <a key={href} href={href} aria-current={href === pathname ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
    </div>
  )
}
