import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import health from '../../shell/src/plugins/health.ts'
import monitoring, { type MonitoringOptions } from '../../monitoring/src/plugins/monitoring.ts'
import replyClose from '../../shell/src/plugins/reply-close.ts'
import { LogRecorder } from './log-recorder.ts'
import { FIXTURE_DSN } from './envelopes.ts'
import { FileSink } from './file-sink.ts'
import { createFolder } from './folder.ts'

export interface TunnelOptions extends Partial<MonitoringOptions> {
  server?: FastifyServerOptions
  /** Called before it listens. */
  prepare?: (app: FastifyInstance) => unknown
}

/** The tunnel on a bare Fastify server that listens, with a sink of files. Has no rate limit unless one is given. */
export async function openTunnel(t: Test, { server, prepare, ...options }: TunnelOptions = {}) {
  const logs = new LogRecorder()
  const folder = createFolder(t)
  const files = new FileSink(folder)
  const app = Fastify({ logger: { level: 'info', stream: logs }, forceCloseConnections: true, ...server })
  t.teardown(() => app.close())
  await app.register(replyClose)
  await app.register(health, {})
  await app.register(monitoring, { dsns: [FIXTURE_DSN], sink: files, rate: 0, ...options })
  await prepare?.(app)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })

  return {
    app,
    files,
    origin,
    port: Number(new URL(origin).port),
    /** Log lines of the tunnel, and all error lines. */
    lines: () => logs.lines.filter(({ level, msg }) => level >= 50 || msg.startsWith('envelope')),
    /** Metric of an outcome. */
    async counted(outcome: string, code = 'none'): Promise<number> {
      const text = await app.metrics.print()
      const line = new RegExp(`^monitoring_envelopes_total\\{outcome="${outcome}",code="${code}"\\} (\\d+)$`, 'm')
      return Number(line.exec(text)?.[1] ?? 0)
    },
    /** Sends an envelope like a browser's fetch, from a page of the same site. */
    post: (body: Uint8Array | string, headers: Record<string, string> = {}, path = '/monitoring') =>
      fetch(origin + path, {
        method: 'POST',
        body: body as string,
        headers: { 'sec-fetch-site': 'same-origin', origin, ...headers }
      })
  }
}
