import { createError } from '@fastify/error'
import t from 'tap'
import { openTelemetry } from '../../src/server-sdk/open.ts'
import { createCollector } from '@hull/test-helpers/collector.ts'

t.test(
  'the type of a coded error is its code, and the type of its cause and of other errors is their name',
  async (t) => {
    const { to, ...collector } = createCollector()
    const telemetry = openTelemetry({ ...to, environment: 'test', release: '1', sampleRate: 0 })
    const Coded = createError('APP_TEST_BROKEN', 'it broke', 500)
    telemetry.captureError({ error: new Coded({ cause: new TypeError('inner') }), digest: 'A' })
    telemetry.captureError({ error: new RangeError('plain'), digest: 'B' })
    await telemetry.close(1_000)
    const types = collector.texts.flatMap((text) => {
      const lines = text.split('\n')
      const event = JSON.parse(lines[2]!) as { exception?: { values: { type: string }[] } }
      return event.exception ? [event.exception.values.map(({ type }) => type)] : []
    })
    t.same(types, [['TypeError', 'APP_TEST_BROKEN'], ['RangeError']])
  }
)
