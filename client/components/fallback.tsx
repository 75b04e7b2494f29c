import type { ReactNode } from 'react'
import { Frame } from './frame.tsx'

interface FallbackProps {
  status: number
  title: string
  message: string
  /** What to make of it, and whose fault it is not. */
  children: ReactNode
  /** The one way on. */
  way: { href: string; label: string }
}

/** In place of a page that is not shown. */
export function Fallback({ status, title, message, children, way }: FallbackProps) {
  return (
    <Frame>
      <section className="fallback">
        <p className="fallback-status">{status}</p>
        <h1>{title}</h1>
        <p>{message}</p>
        <p className="quiet">{children}</p>
        <p className="row">
          <a className="button button-main" href={way.href}>
            {way.label}
          </a>
        </p>
      </section>
    </Frame>
  )
}

export const WAY_HOME = { href: '/', label: 'Go to the home page' }
