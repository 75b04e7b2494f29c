import { createContext, use, type ReactNode } from 'react'
import { Mark } from './mark.tsx'

export interface NavItem {
  href: string
  label: string
  /** `page`: it is the page shown; `true`: the page shown lies below it. */
  current?: 'page' | 'true'
}

interface FrameProps {
  nav?: NavItem[]
  /** A quiet line at the end of every page. */
  foot?: ReactNode
  children: ReactNode
}

const Framed = createContext(false)

/** Skip link, bar, main, footer. Inside another frame it adds nothing, so whoever may stand alone can ask for one. */
export function Frame({ nav, foot, children }: FrameProps) {
  if (use(Framed)) return children
  return (
    <Framed value>
      <div className="frame">
        <div className="frame-edge">
          <a className="skip" href="#main">
            Skip to content
          </a>
          <header className="frame-bar">
            <a className="frame-name" href="/">
              <Mark />
              Hull
            </a>
            {nav && <FrameNav items={nav} />}
          </header>
        </div>
        <main className="frame-main" id="main" tabIndex={-1}>
          {children}
        </main>
        {foot ? <footer className="frame-foot">{foot}</footer> : null}
      </div>
    </Framed>
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
