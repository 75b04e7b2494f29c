import type { FetchAttempt } from '../fetch/page-fetch.ts'
import type { AttemptInfo, WrapAttempt } from '../fetch/retry.ts'
import { toClientSpan } from './outgoing.ts'
import type { RequestTrace } from './request-trace.ts'
import { inSpan } from './span.ts'

/**
 * Gives each attempt of ctx.fetch a span, and one to an own route the headers that carry the trace. Those of other
 * attempts are set where the request goes out ({@link traceOutgoing}).
 */
export function traceFetchAttempts(trace: RequestTrace): WrapAttempt<FetchAttempt> {
  return function traceFetchAttempt(attempt, run) {
    const { method, url, own, number, headers, given } = attempt
    const info = toClientSpan(method, url)
    Object.assign(info.attributes, { attempt: number })
    return inSpan(
      info,
      (span) => {
        if (own) {
          const carried = trace.toHeaders(span, given.get('baggage'))
          for (const [name, value] of Object.entries(carried)) headers.set(name, value)
        }
        return run()
      },
      (answer) => ({ status: (answer as Response).status })
    )
  }
}

/** Gives each attempt of ctx.retry a span. */
export function traceRetryAttempt<T>({ number }: AttemptInfo, run: () => Promise<T>): Promise<T> {
  return inSpan({ op: 'retry', name: 'ctx.retry', attributes: { attempt: number } }, run)
}
