import type { Span } from '@sentry/core'
import { failureStatusOf } from '@hull/common/http/status-of.ts'
import type { OpenSpan, SpanEnding, SpanInfo } from '../tracing/span.ts'
import { sentry } from './sentry.ts'

/** Attribute with the source of a transaction's name; `route` is for a pattern. */
const NAME_SOURCE = 'sentry.segment.name.source'

/** The SDK's status code of a failed span. */
const FAILED = 2

/** Span in a request that has used the SDK, which records the span itself. */
export class SdkSpan implements OpenSpan {
  readonly id: string
  readonly op: string
  /** Strong reference, because the SDK's scopes hold spans weakly. */
  readonly sdk: Span

  /** Opens the span below the active span of the SDK's current scope, which may be the application's own. */
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

/** HTTP status of an ending, or of its error. */
export const toStatusCode = ({ status, error }: SpanEnding): number | undefined => status ?? failureStatusOf(error)
