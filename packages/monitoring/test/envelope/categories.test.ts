import { createTransport, envelopeItemTypeToDataCategory, type Envelope, type EnvelopeItemType } from '@sentry/core'
import t from 'tap'
import { categoryOf, fromLane, rankOf, toLane } from '../../src/envelope/categories.ts'

/** All item types of the SDK. A new type in a later version is a type error here. */
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

t.test('each item type has the same category as in the SDK', async (t) => {
  for (const type of types) t.equal(categoryOf(type), envelopeItemTypeToDataCategory(type), type)
})

t.test('the SDK obeys a rate limit for the category of an item', async (t) => {
  for (const type of types) {
    const sent: string[] = []
    const transport = createTransport({ recordDroppedEvent() {} }, async ({ body }) => {
      sent.push(String(body))
      return { statusCode: 200, headers: { 'x-sentry-rate-limits': `60:${categoryOf(type)}:key`, 'retry-after': null } }
    })
    const send = (of: EnvelopeItemType) => transport.send([{}, [[{ type: of }, {}]]] as unknown as Envelope)
    await send(type)
    await send(type)
    t.equal(sent.length, 1, `${type} is not sent`)
    const other = types.find((candidate) => categoryOf(candidate) !== categoryOf(type))!
    await send(other)
    t.equal(sent.length, 2, `${other} is sent`)
  }
})

t.test('an unknown item type has the category `default`', async (t) => {
  for (const type of ['', 'constructor', '__proto__', 'new_kind']) t.equal(categoryOf(type), 'default', type)
})

t.test(
  'the number of lanes is limited for any combination of categories, and a lane has the rank of its envelopes',
  async (t) => {
    const categories = [...new Set([...types, 'security', 'statsd', 'other'].map((type) => categoryOf(type)))]
    const lanes = new Set<string>()
    for (let subset = 1; subset < 2 ** categories.length; subset++) {
      const names = categories.filter((_, index) => subset & (1 << index))
      const lane = toLane(Object.fromEntries(names.map((name) => [name, 1])))
      lanes.add(lane)
      if (rankOf(fromLane(lane)) !== rankOf(names)) t.fail(`${lane} for ${names.join()}`)
    }
    t.ok(lanes.size < 2_000, `${lanes.size} lanes`)
    t.equal(toLane({ transaction: 1, profile: 1, internal: 2, attachment: 0 }), 'internal;profile;transaction')
  }
)
