import type { ReactNode } from 'react'
import { HOUR, MINUTE } from '@hull/common/time.ts'
import type { Breadcrumb } from '../../../store/model.ts'
import { countOf, span } from '../shared/format.ts'
import { Text } from '../shared/text.tsx'
import './breadcrumbs.css'

/** Breadcrumbs to show at first: the last ones before the error. */
const SHOWN = 25

/** The breadcrumbs of an event, oldest first, followed by the error. */
export function Breadcrumbs({ breadcrumbs, at, title }: { breadcrumbs: Breadcrumb[]; at: number; title: string }) {
  const hidden = breadcrumbs.slice(0, -SHOWN)
  return (
    <>
      {hidden.length > 0 && (
        <details className="breadcrumbs-earlier">
          <summary>{countOf(hidden.length, 'earlier breadcrumb')}</summary>
          <Steps breadcrumbs={hidden} at={at} />
        </details>
      )}
      <Steps breadcrumbs={breadcrumbs.slice(-SHOWN)} at={at}>
        <li className="step step-error">
          <span className="step-time">0 s</span>
          <StepIcon kind="error" />
          <span className="step-what">
            <b>
              <Text max={300}>{title}</Text>
            </b>
          </span>
        </li>
      </Steps>
    </>
  )
}

function Steps({ breadcrumbs, at, children }: { breadcrumbs: Breadcrumb[]; at: number; children?: ReactNode }) {
  return (
    <ol className="breadcrumbs">
      {breadcrumbs.map((crumb, i) => {
        const { text, kind } = describe(crumb)
        const state = toState(crumb.level)
        return (
          // oxlint-disable-next-line react/no-array-index-key
          <li key={i} className={`step step-${state}`}>
            <span className="step-time">{relative(crumb.at, at)}</span>
            <StepIcon kind={kind} />
            <span className="step-what">
              <span className="step-kind">
                <Text max={60}>{crumb.category || crumb.type}</Text>
              </span>{' '}
              {state !== 'info' && (
                <>
                  <span className="step-level">{crumb.level}</span>{' '}
                </>
              )}
              <Text max={600}>{text}</Text>
            </span>
          </li>
        )
      })}
      {children}
    </ol>
  )
}

const toState = (level: string) =>
  level === 'error' || level === 'fatal' ? 'error' : level === 'warning' ? 'warning' : 'info'

type Kind = 'click' | 'request' | 'navigation' | 'console' | 'error' | 'other'

/** Text and icon of a breadcrumb. */
function describe({ type, category, message, data }: Breadcrumb): { text: string; kind: Kind } {
  if (category === 'navigation' || type === 'navigation')
    return { kind: 'navigation', text: message || [data.from, data.to].filter(Boolean).join(' → ') }
  if (type === 'http' || ['fetch', 'xhr', 'http'].includes(category)) {
    const { method, url, status_code: status, ...rest } = data
    const line = [method, url, status].filter(Boolean).join(' ')
    return { kind: 'request', text: [message, line || pairs(rest)].filter(Boolean).join(' ') }
  }
  if (category.startsWith('ui.') || type === 'user') return { kind: 'click', text: message || pairs(data) }
  if (category === 'console') return { kind: 'console', text: message || pairs(data) }
  const kind = type === 'error' || category === 'exception' ? 'error' : 'other'
  return { kind, text: [message, pairs(data)].filter(Boolean).join(' ') }
}

const pairs = (data: Record<string, string>) =>
  Object.entries(data)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

/** Time relative to the error, in at most eleven characters: `−12.4 s`, `−9 h 50 min`, `−3 d`. */
function relative(at: number | undefined, error: number): string {
  if (at === undefined) return ''
  const ms = at - error
  const sign = ms > 0 ? '+' : '−'
  const size = Math.abs(ms)
  if (size < 1_000) return `${sign}${Math.round(size)} ms`
  if (size < MINUTE) return `${sign}${(size / 1_000).toFixed(1)} s`
  if (size < 10 * MINUTE) return `${sign}${Math.floor(size / MINUTE)} min ${Math.floor((size % MINUTE) / 1_000)} s`
  if (size >= HOUR && size < 10 * HOUR)
    return `${sign}${Math.floor(size / HOUR)} h ${Math.floor((size % HOUR) / MINUTE)} min`
  return sign + span(size)
}

const WORDS: Record<Kind, string> = {
  click: 'Click',
  request: 'Request',
  navigation: 'Navigation',
  console: 'Console',
  error: 'Error',
  other: 'Step'
}

function StepIcon({ kind }: { kind: Kind }) {
  return (
    <svg
      className="step-icon"
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      role="img"
      aria-label={WORDS[kind]}
    >
      <path d={PATHS[kind]} />
    </svg>
  )
}

const PATHS: Record<Kind, string> = {
  click: 'M6.5 6.5l7 2.6-3.1 1.3-1.3 3.1zM3 6.5h.5M6.5 3v.5M4 4l.4.4',
  request: 'M3 5.5h9.5M10 3l2.5 2.5L10 8M13 10.5H3.5M6 8l-2.5 2.5L6 13',
  navigation: 'M3 8h9.5M9 4.5 12.5 8 9 11.5',
  console: 'M3.5 5 6.5 8l-3 3M8.5 11.5h4',
  error: 'M8 3.5v5M8 12v.01',
  other: 'M8 7.5v1'
}
