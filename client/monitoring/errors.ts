import { getCurrentScope, type BrowserClient } from '@sentry/browser'
import { ERROR_QUEUE, type ErrorQueue, type ReactError } from '../../lib/common/monitoring.ts'
import { errorQueue } from '../shell/tell-error.ts'
import { isNoError } from './noise.ts'

type Told = Parameters<ErrorQueue['push']>[0]

/** What the SDK says of an error that nobody caught. */
const UNHANDLED = { type: 'hull', handled: false }

/** Takes over the errors that have waited, and all that come: one way for each of them, so that none is told twice. */
export function takeErrors(client: BrowserClient): void {
  const early = errorQueue() as (Told[] & ErrorQueue) | undefined
  const queue: ErrorQueue = { length: 0, push: (told) => capture(client, told) }
  Object.assign(self, { [ERROR_QUEUE]: queue })
  if (early) {
    early.forEach(queue.push)
    if (early.lost) client.recordDroppedEvent('queue_overflow', 'error', early.lost)
  } else {
    // A policy of the team's own has kept the early script from running.
    addEventListener('error', queue.push)
    addEventListener('unhandledrejection', queue.push)
  }
}

function capture(client: BrowserClient, told: Told): void {
  if ('handled' in told) return captureReactError(client, told)
  const scope = getCurrentScope().clone()
  const timestamp = (performance.timeOrigin + told.timeStamp) / 1_000
  scope.addEventProcessor((event) => Object.assign(event, { timestamp }))
  if ('reason' in told) {
    if (!isNoError(told.reason)) client.captureException(told.reason, { mechanism: UNHANDLED }, scope)
    return
  }
  const { error, message, filename, lineno, colno } = told
  if (isNoError(error)) return
  if (error !== null && error !== undefined) client.captureException(error, { mechanism: UNHANDLED }, scope)
  else {
    // A script that cannot be parsed, or one of another origin: there is no error to look at.
    const stacktrace = { frames: [{ filename, lineno, colno, function: '?', in_app: true }] }
    const exception = { values: [{ type: 'Error', value: message, mechanism: UNHANDLED, stacktrace }] }
    client.captureEvent({ exception, level: 'error' }, {}, scope)
  }
}

/** With an error that the browser tells of as well this comes first, and the SDK takes an object once. */
function captureReactError(client: BrowserClient, { error, componentStack, handled }: ReactError): void {
  // A value that is no object would count twice; the browser's telling has it.
  if (isNoError(error) || (!handled && !isObject(error))) return
  const scope = getCurrentScope().clone()
  if (componentStack !== undefined) scope.setContext('react', { componentStack })
  client.captureException(error, { mechanism: { type: 'hull.react', handled } }, scope)
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null
