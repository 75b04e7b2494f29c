import type { ReactNode } from 'react'
import type { ErrorProps, FallbackProps, RefusalProps } from '../contracts/fallback.ts'
import { digestLine, errorSentence } from './default-error-text.ts'
import { useFallbackLink, type FallbackTarget } from './fallback-link.ts'
import { useInLayout } from '../view/in-layout.ts'

/*
 * Fallbacks for files that the application does not have in `client/fallbacks/`. The class names are those of the
 * application's stylesheet; without it, these are plain headings, sentences and links.
 */

/** `client/fallbacks/error.tsx` */
export function ErrorFallback({ host, digest, message, side, offline, unreachable, retry }: ErrorProps) {
  return (
    <Fallback title={errorSentence(host)} way={{ href: '', label: 'Try again' }} onRetry={retry}>
      {digest && <p className="digest">{digestLine(digest)}</p>}
      {side && <p>{message ?? explain(side, offline, unreachable)}</p>}
    </Fallback>
  )
}

function explain(side: NonNullable<ErrorProps['side']>, offline?: boolean, unreachable?: boolean): string {
  if (offline) return 'You are offline. The page loads again as soon as you are back online.'
  if (unreachable) return 'The server cannot be reached. Try again in a moment.'
  return side === 'server' ? 'The error happened on the server.' : 'The error happened in the browser.'
}

/** `client/fallbacks/unauthorized.tsx` */
export const Unauthorized = ({ status, message, signInHref }: FallbackProps) => (
  <Fallback
    status={status}
    title="Sign in to continue"
    {...(signInHref !== undefined && { way: { href: signInHref, label: 'Sign in' } })}
  >
    <p>{message}</p>
  </Fallback>
)

/** `client/fallbacks/forbidden.tsx` */
export const Forbidden = ({ status, message }: FallbackProps) => (
  <Fallback status={status} title="Not allowed">
    <p>{message}</p>
  </Fallback>
)

/** `client/fallbacks/not-found.tsx` */
export const NotFound = ({ status, message }: FallbackProps) => (
  <Fallback status={status} title="Not found">
    <p>{message}</p>
  </Fallback>
)

/** `client/fallbacks/refused.tsx` */
export const Refused = ({ status, title, message, code }: RefusalProps) => (
  <Fallback status={status} title={title}>
    <p>{message}</p>
    <p>
      <code>{code}</code>
    </p>
  </Fallback>
)

interface Props {
  status?: number
  title: string
  /** @default the layout's link */
  way?: FallbackTarget
  onRetry?: () => void
  children: ReactNode
}

function Fallback({ status, title, way, onRetry, children }: Props) {
  const link = useFallbackLink()
  const { href, label } = way ?? link
  const section = (
    <section className="fallback">
      {status && <p className="fallback-status">{status}</p>}
      <h1>{title}</h1>
      {children}
      <p>
        {onRetry ? (
          <button className="button" type="button" onClick={onRetry}>
            {label}
          </button>
        ) : (
          <a href={href}>{label}</a>
        )}
      </p>
    </section>
  )
  return useInLayout() ? section : <main className="frame-main">{section}</main>
}
