import type { ReactNode } from 'react'
import { useInLayout } from '@hull/shell/client'
import { Mark } from './mark.tsx'

export interface NavItem {
  href: string
  label: string
  /** `page` for the current page, `true` for its parents. */
  current?: 'page' | 'true'
}

interface FrameProps {
  nav?: NavItem[]
  /** Small text at the end of every page. */
  foot?: ReactNode
  children: ReactNode
}

/**
 * Skip link, navigation bar, main content and footer. Adds nothing inside a layout: fallbacks use it too, and may be
 * shown without a layout.
 */
export function Frame({ nav, foot, children }: FrameProps) {
  if (useInLayout()) return children
  return (
    <div className="frame">
      <div className="frame-edge">
        <a className="skip" href="#main">
          Skip to content
        </a>
        <header className="frame-bar">
          <FrameName />
          {nav && <FrameNav items={nav} />}
        </header>
      </div>
      <main className="frame-main" id="main" tabIndex={-1}>
        {children}
      </main>
      {foot ? <footer className="frame-foot">{foot}</footer> : null}
    </div>
  )
}

/** Logo and name, linked to the home page. */
function FrameName() {
  return (
    <a className="frame-name" href="/">
      <Mark />
      Hull
    </a>
  )
}

function FrameNav({ items }: { items: NavItem[] }) {
  return (
    <nav className="frame-nav" aria-label="Main">
      <ul>
        {items.map(({ href, label, current }) => (
          <li key={href}>
            <a href={href} aria-current={current}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
