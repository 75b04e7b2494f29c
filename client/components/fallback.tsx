import type { ReactNode } from 'react'
import { useFallbackLink, type FallbackTarget } from '@hull/shell/client'
import { toSentence } from '../fallbacks/error-text.ts'
import { Frame } from './frame.tsx'

interface FallbackProps {
  status: number
  title: string
  message: string
  /** Explains the situation to the visitor. */
  children: ReactNode
  /** The single link to continue. @default the layout's: the home page, or the start of an area */
  way?: FallbackTarget | undefined
}

/** Replaces a page that is not shown. */
export function Fallback({ status, title, message, children, way }: FallbackProps) {
  const link = useFallbackLink()
  const { href, label } = way ?? link
  return (
    <Frame>
      <section className="fallback">
        <p className="fallback-status">{status}</p>
        <h1>{title}</h1>
        <p>{toSentence(message)}</p>
        <p className="quiet">{children}</p>
        <p className="row">
          <a className="button button-main" href={href}>
            {label}
          </a>
        </p>
      </section>
    </Frame>
  )
}
