import { getCurrentScope, type BrowserClient, type Scope } from '@sentry/browser'
import type { BrowserShell } from '@hull/common/browser-shell.ts'
import { removeCapturedMark } from '@hull/common/captured-mark.ts'
import { ERROR_QUEUE, type CaughtError, type ErrorQueue } from './options.ts'
import { describePage } from './page.ts'

type QueuedError = Parameters<ErrorQueue['push']>[0]

/** Mechanism of an error whose digest was shown to a visitor. */
export const SHOWN = 'hull.react'

/** Mechanism of an uncaught error. */
const UNHANDLED = { type: 'hull', handled: false }

/** Captures queued errors, and all later ones through the same queue, so that none is reported twice. */
export function captureErrors(client: BrowserClient, shell: BrowserShell): void {
  const globals = self as unknown as Record<string, (QueuedError[] & ErrorQueue) | ErrorQueue | undefined>
  const early = globals[ERROR_QUEUE] as (QueuedError[] & ErrorQueue) | undefined
  const queue: ErrorQueue = { length: 0, push: (queued) => capture(client, shell, queued) }
  globals[ERROR_QUEUE] = queue
  if (early) {
    early.forEach(queue.push)
    if (early.lost) client.recordDroppedEvent('queue_overflow', 'error', early.lost)
  } else {
    // The application's content security policy has blocked the early script.
    addEventListener('error', queue.push)
    addEventListener('unhandledrejection', queue.push)
  }
}

function capture(client: BrowserClient, { digestOf, isExpected }: BrowserShell, queued: QueuedError): void {
  const thrown: unknown = 'reason' in queued ? queued.reason : queued.error
  if (!isFirst(thrown) || isExpected(thrown)) return
  const scope = getCurrentScope().clone()
  // Not from the document's time origin: in some browsers the clock of `timeStamp` stops while the machine sleeps.
  const timestamp = (Date.now() - (performance.now() - queued.timeStamp)) / 1_000
  scope.addEventProcessor((event) => Object.assign(describePage(event, queued.page), { timestamp }))
  if ('handled' in queued) return captureReactError(client, scope, queued)
  // A boundary that shows the same object later shows this digest.
  scope.setTag('digest', digestOf(thrown))
  if ('reason' in queued || (thrown !== null && thrown !== undefined)) {
    client.captureException(thrown, { mechanism: UNHANDLED }, scope)
    return
  }
  // A script with a syntax error or from another origin: the event has no error object.
  const { message, filename, lineno, colno } = queued
  const stacktrace = { frames: [{ filename, lineno, colno, function: '?', in_app: true }] }
  const exception = { values: [{ type: 'Error', value: message, mechanism: UNHANDLED, stacktrace }] }
  client.captureEvent({ exception, level: 'error' }, {}, scope)
}

const captured = new WeakSet<object>()

/** Whether an error was not captured before. The SDK marks the error itself, which fails for a frozen object. */
function isFirst(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return true
  if (captured.has(error)) return false
  captured.add(error)
  return true
}

/** Captures an error that React reports. If the browser also reports the error, it does so afterwards. */
function captureReactError(client: BrowserClient, scope: Scope, queued: CaughtError): void {
  const { error, digest, componentStack, handled } = queued
  scope.setTag('digest', digest)
  removeCapturedMark(error)
  if (componentStack !== undefined) scope.setContext('react', { componentStack })
  client.captureException(error, { mechanism: { type: SHOWN, handled } }, scope)
}
