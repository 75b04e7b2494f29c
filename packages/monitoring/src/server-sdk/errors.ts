import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyRequest } from 'fastify'
import type { ErrorReport } from './telemetry.ts'
import type {} from '@hull/common/route-config.ts'

/** What a server publishes about an unexpected error, as far as it is read here. */
export interface ErrorMessage {
  server: object
  request: FastifyRequest | undefined
  error: unknown
  digest: string
  /** `process`: the error ends it. */
  where: string
}

const CHANNEL = 'hull:error'

/**
 * Captures the errors that servers publish.
 * @param isOwn whether the message is of the application that asks: a process may have several
 * @param capture must not throw
 * @returns ends it
 */
export function followErrors(isOwn: (server: object) => boolean, capture: (report: ErrorReport) => void): () => void {
  function captureOwn(message: unknown): void {
    const { server, request, error, digest, where } = message as ErrorMessage
    if (!isOwn(server) || request?.routeOptions.config.unreported) return
    capture({ error, digest, request, fatal: where === 'process' })
  }
  subscribe(CHANNEL, captureOwn)
  return () => {
    unsubscribe(CHANNEL, captureOwn)
  }
}
