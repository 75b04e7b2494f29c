import { currentContext } from '../async-context.ts'
import type { FetchAttempt } from '../fetch/page-fetch.ts'
import type { AttemptInfo, WrapAttempt } from '../fetch/retry.ts'
import type { RequestTrace } from './request-trace.ts'
import { inSpan } from './span.ts'

/**
 * Gives each attempt of ctx.fetch a span, and the headers that carry the trace: to own routes and to `targets`, and to
 * no other service, which could tell from them who else its visitors are.
 * @param targets whole origins
 */
export function traceFetchAttempts(trace: RequestTrace, targets: ReadonlySet<string>): WrapAttempt<FetchAttempt> {
  return function traceFetchAttempt(attempt, run) {
    const { method, url, own, number, headers, given } = attempt
    const info = {
      op: 'http.client',
      name: `${method} ${url.origin}${url.pathname}`,
      attributes: { 'http.request.method': method, 'server.address': url.host, attempt: number }
    }
    return inSpan(
      info,
      (span) => {
        if (own || targets.has(url.origin)) {
          const carried = trace.toHeaders(span ?? currentContext()?.span, given.get('baggage'))
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
