import { createTransport, envelopeItemTypeToDataCategory, type Envelope, type EnvelopeItemType } from '@sentry/core'
import t from 'tap'
import { categoryOf } from '../../src/envelope/categories.ts'

/** Every item type that the SDK knows. A new one in a later version is a type error here. */
const TYPES: Record<EnvelopeItemType, true> = {
  event: true,
  transaction: true,
  span: true,
  session: true,
  sessions: true,
  replay_event: true,
  replay_recording: true,
  profile: true,
  profile_chunk: true,
  attachment: true,
  feedback: true,
  user_report: true,
  check_in: true,
  log: true,
  metric: true,
  trace_metric: true,
  raw_security: true,
  client_report: true
}
const types = Object.keys(TYPES) as EnvelopeItemType[]

t.test('each type of item has the category that the SDK gives it', async (t) => {
  for (const type of types) t.equal(categoryOf(type), envelopeItemTypeToDataCategory(type), type)
})

t.test('a limit for the category of an item is one that the SDK keeps', async (t) => {
  for (const type of types) {
    const sent: string[] = []
    const transport = createTransport({ recordDroppedEvent() {} }, async ({ body }) => {
      sent.push(String(body))
      return { statusCode: 200, headers: { 'x-sentry-rate-limits': `60:${categoryOf(type)}:key`, 'retry-after': null } }
    })
    const send = (of: EnvelopeItemType) => transport.send([{}, [[{ type: of }, {}]]] as unknown as Envelope)
    await send(type)
    await send(type)
    t.equal(sent.length, 1, `${type} is held back`)
    const other = types.find((candidate) => categoryOf(candidate) !== categoryOf(type))!
    await send(other)
    t.equal(sent.length, 2, `and ${other} is not`)
  }
})

t.test('counts an unknown type among the rest', async (t) => {
  for (const type of ['', 'constructor', '__proto__', 'new_kind']) t.equal(categoryOf(type), 'default', type)
})
