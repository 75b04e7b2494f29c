import { useFallbackLink, type ErrorProps } from '@hull/shell/client'
import { Frame } from '../components/frame.tsx'
import {
  digestLine,
  ERROR_LEAD,
  errorSentence,
  OFFLINE_LINE,
  QUOTE_LINE,
  sideLine,
  UNREACHABLE_LINE
} from './error-text.ts'

/** Replaces a page that failed, or the whole application, in which case it has its own frame. */
export default function ErrorFallback({ host, digest, message, side, offline, unreachable, retry }: ErrorProps) {
  const { href, label } = useFallbackLink()
  return (
    <Frame>
      <section className="fallback">
        <div className="fallback-error">
          <p className="fallback-lead">{ERROR_LEAD}</p>
          <h1>{errorSentence(host)}</h1>
          {digest && <p className="digest">{digestLine(digest)}</p>}
          {side && (
            <p className="quiet">{offline ? OFFLINE_LINE : unreachable ? UNREACHABLE_LINE : sideLine(side, message)}</p>
          )}
          {digest && <p className="quiet">{QUOTE_LINE}</p>}
        </div>
        <p className="row">
          {retry ? (
            <button className="button button-main" type="button" onClick={retry}>
              Try again
            </button>
          ) : (
            // An empty address is the current one: the link also works without script.
            // oxlint-disable-next-line jsx-a11y/anchor-is-valid
            <a className="button button-main" href="">
              Try again
            </a>
          )}
          <a href={href}>{label}</a>
        </p>
      </section>
    </Frame>
  )
}
