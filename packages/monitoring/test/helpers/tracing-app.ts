import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { createCollector } from '@hull/test-helpers/collector.ts'
import { LogRecorder } from '@hull/test-helpers/log-recorder.ts'
import errorReport from '../../../shell/src/plugins/error-report.ts'
import replyClose from '../../../shell/src/plugins/reply-close.ts'
import telemetry from '../../src/plugins/telemetry.ts'
import tracing, { type TracingOptions } from '../../src/plugins/tracing.ts'

/** Trace id and span id of a caller. */
export const TRACE = '0af7651916cd43dd8448eb211c80319c'
export const SPAN = 'b7ad6b7169203331'

interface AppOptions extends Partial<TracingOptions> {
  collector?: ReturnType<typeof createCollector>
  setUp: (app: FastifyInstance) => unknown
}

/** Creates a bare Fastify with the plugins of tracing. @param options.setUp registers its routes */
export async function createTracingApp(t: Test, { sampleRate = 0, targets = [], collector, setUp }: AppOptions) {
  const logs = new LogRecorder()
  const app = Fastify({ logger: { stream: logs } })
  t.teardown(() => app.close())
  await app.register(replyClose)
  await app.register(telemetry, { to: collector?.to, environment: 'test', release: '1.0', sampleRate })
  await app.register(tracing, { sampleRate, targets })
  await app.register(errorReport)
  await setUp(app)
  await app.ready()
  return { app, logs, flush: () => app.telemetry!.flush(60_000) }
}

/** Adds a route that returns the headers that a request's trace would send to another service. */
export const echo = (app: FastifyInstance) => app.get('/', async ({ trace }) => trace.toHeaders())
