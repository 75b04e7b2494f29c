import type { ReactNode } from 'react'

interface MenuProps {
  /** What stands on its button. @default what it is for */
  label?: ReactNode
  /** What it is for; before a label for screen readers alone. */
  purpose: string
  /** On which side of its button it opens. @default start */
  side?: 'start' | 'end'
  className?: string
  children: ReactNode
}

/** A button with something behind it, which needs no script: one at a time is open. */
export function Menu({ label, purpose, side = 'start', className = '', children }: MenuProps) {
  return (
    <details className={`menu menu-${side} ${className}`.trim()} name="inbox-menu">
      <summary>
        {label !== undefined && <span className="unshown">{`${purpose}: `}</span>}
        <span className="menu-label">{label ?? purpose}</span>
        <svg className="menu-arrow" width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
          <path d="m1 2.5 3 3 3-3" fill="none" stroke="currentColor" strokeWidth="1.25" />
        </svg>
      </summary>
      <div className="menu-body">{children}</div>
    </details>
  )
}

export interface Choice {
  href: string
  label: ReactNode
  isChosen: boolean
}

/** Links of which one is where the visitor is. */
export function Choices({ choices }: { choices: Choice[] }) {
  return (
    <ul className="choices">
      {choices.map(({ href, label, isChosen }) => (
        <li key={href}>
          <a href={href} aria-current={isChosen ? 'true' : undefined} data-keep-scroll>
            {label}
          </a>
        </li>
      ))}
    </ul>
  )
}
