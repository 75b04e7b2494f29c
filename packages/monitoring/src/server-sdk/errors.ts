import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyRequest } from 'fastify'
import type { ErrorReport } from './telemetry.ts'
import type {} from '@hull/common/route-config.ts'

/** Message about an unexpected error that a server publishes, with the fields that are read here. */
export interface ErrorMessage {
  server: object
  request: FastifyRequest | undefined
  error: unknown
  digest: string
  /** `process` if the error ends the process. */
  where: string
}

const CHANNEL = 'hull:error'

/**
 * Captures the errors that servers publish.
 * @param isOwn whether a server belongs to the calling application, because a process may hold several
 * @param capture must not throw
 * @returns function that stops it
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
