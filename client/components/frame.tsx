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
  /** In the place of name and navigation. */
  bar?: ReactNode
  /** A quiet line at the end of every page. */
  foot?: ReactNode
  className?: string
  children: ReactNode
}

const Framed = createContext(false)

/** Skip link, bar, main, footer. Inside another frame it adds nothing, so whoever may stand alone can ask for one. */
export function Frame({ nav, bar, foot, className = '', children }: FrameProps) {
  if (use(Framed)) return children
  return (
    <Framed value>
      <div className={`frame ${className}`.trim()}>
        <div className="frame-edge">
          <a className="skip" href="#main">
            Skip to content
          </a>
          <header className="frame-bar">
            {bar ?? (
              <>
                <FrameName />
                {nav && <FrameNav items={nav} />}
              </>
            )}
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

/** The mark and the name: the way home. */
export function FrameName() {
  return (
    <a className="frame-name" href="/">
      <Mark />
      Hull
    </a>
  )
}

export function FrameNav({ items }: { items: NavItem[] }) {
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
