import type { ReactNode } from 'react'

/** Links to the pages above this one, the highest first; the last step is this page. */
export function Crumbs({ steps }: { steps: Array<{ href: string; label: ReactNode }> }) {
  return (
    <nav className="crumbs" aria-label="Breadcrumb">
      <ol>
        {steps.map(({ href, label }, i) => (
          <li key={href}>
            {i === steps.length - 1 ? <span aria-current="page">{label}</span> : <a href={href}>{label}</a>}
          </li>
        ))}
      </ol>
    </nav>
  )
}
