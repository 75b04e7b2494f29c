import type { ReactNode } from 'react'

interface MenuProps {
  /** Label of its button. @default the name */
  label?: ReactNode
  /** Name of the menu; screen readers read it before the label. */
  purpose: string
  /** Side of its button to which the menu is aligned. @default start */
  side?: 'start' | 'end'
  className?: string
  children: ReactNode
}

/** Button with a popup, which works without script. Only one is open at a time. */
export function Menu({ label, purpose, side = 'start', className = '', children }: MenuProps) {
  return (
    <details className={`menu menu-${side} ${className}`.trim()} name="inbox-menu" data-menu={purpose}>
      <summary>
        {label !== undefined && <span className="visually-hidden">{`${purpose}: `}</span>}
        <span className="menu-label">{label ?? purpose}</span>
        <svg className="menu-arrow" width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
          <path d="m1 2.5 3 3 3-3" fill="none" stroke="currentColor" strokeWidth="1.25" />
        </svg>
      </summary>
      <div className="menu-body">{children}</div>
    </details>
  )
}

interface MenuChoice {
  /** Distinguishes links with the same address. @default the address */
  id?: number
  href: string
  label: ReactNode
  isChosen: boolean
}

/** List of links in which the current page is marked. */
export function Choices({ choices }: { choices: MenuChoice[] }) {
  return (
    <ul className="choices">
      {choices.map(({ href, id, label, isChosen }) => (
        <li key={id ?? href}>
          <a href={href} aria-current={isChosen ? 'true' : undefined} data-keep-scroll>
            {label}
          </a>
        </li>
      ))}
    </ul>
  )
}
