import type { Span } from '@sentry/core'
import { statusOf } from '@hull/common/http/status-of.ts'
import type { OpenSpan, SpanEnding, SpanInfo } from '../tracing/span.ts'
import { sentry } from './sentry.ts'

/** Says where the name of a transaction comes from; `route` is for a pattern. */
const NAME_SOURCE = 'sentry.segment.name.source'

/** The SDK's status of a span that failed. */
const FAILED = 2

/** One of our spans in a request in which the SDK was asked for something: it keeps that itself. */
export class SdkSpan implements OpenSpan {
  readonly id: string
  readonly op: string
  /** Held here: the SDK's scopes hold spans weakly. */
  readonly sdk: Span

  /** Opens it below the span that is active in the SDK's current scope, the team's own among them. */
  constructor({ id, ...info }: SpanInfo) {
    this.sdk = sentry().startInactiveSpan({ ...info, ...(id === undefined ? {} : { spanId: id }) })
    this.id = this.sdk.spanContext().spanId
    this.op = info.op
  }

  end(ending?: SpanEnding): void {
    endSdkSpan(this.sdk, ending)
  }
}

/** @param endedAt seconds since 1970. @default now */
export function endSdkSpan(sdk: Span, ending: SpanEnding = {}, endedAt?: number): void {
  if (!sdk.isRecording()) return
  const { error, name } = ending
  if (name !== undefined) sdk.updateName(name).setAttribute(NAME_SOURCE, 'route')
  const code = toStatusCode(ending)
  if (error !== undefined) sdk.setStatus({ code: FAILED, message: 'internal_error' })
  if (code !== undefined) sentry().setHttpStatus(sdk, code)
  sdk.end(endedAt)
}

/** The HTTP status that an ending tells of, by itself or by what was thrown. */
export const toStatusCode = ({ status, error }: SpanEnding): number | undefined => status ?? statusOf(error)
