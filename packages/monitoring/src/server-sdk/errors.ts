import { ERRORS, type ErrorMessage } from '@hull/common/channels.ts'
import type { ErrorReport } from './telemetry.ts'
import type {} from '@hull/common/route-config.ts'

/**
 * Captures the errors that servers publish.
 * @param isOwn whether a server belongs to the calling application, because a process may hold several
 * @param capture must not throw
 * @returns function that stops it
 */
export function followErrors(isOwn: (server: object) => boolean, capture: (report: ErrorReport) => void): () => void {
  function captureOwn({ server, request, error, digest, where }: ErrorMessage): void {
    if (!isOwn(server) || request?.routeOptions.config.unreported) return
    capture({ error, digest, request, fatal: where === 'process' })
  }
  ERRORS.subscribe(captureOwn as never)
  return () => {
    ERRORS.unsubscribe(captureOwn as never)
  }
}
