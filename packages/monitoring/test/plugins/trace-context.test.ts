import { request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import replyClose from '../../../shell/src/plugins/reply-close.ts'
import telemetry from '../../src/plugins/telemetry.ts'
import tracing from '../../src/plugins/tracing.ts'
import { openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'

/*
 * Tests W3C Trace Context over the network, with a service that receives headers and calls another service. Section
 * numbers are those of Level 2 (https://www.w3.org/TR/trace-context-2/).
 */

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const VALID = `00-${TRACE}-${PARENT}-01`

type HeaderLines = Array<[name: string, value: string]>

/** Sends a request with the given header lines. @returns the headers that the other service receives */
let call: (lines: HeaderLines, times?: number) => Promise<Array<Record<string, string>>>

t.before(async () => {
  const { origin, seen } = await openUnrulyServer(t as unknown as Test)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(replyClose)
  await app.register(telemetry, { environment: 'test', release: '1', sampleRate: 0 })
  await app.register(tracing, { sampleRate: 0, targets: [origin] })
  app.get('/:times', async ({ params }) => {
    const { times } = params as { times: string }
    for (let i = 0; i < Number(times); i++) await (await fetch(origin)).arrayBuffer()
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo

  call = async (lines, times = 1) => {
    const before = seen.length
    await new Promise((resolve, reject) => {
      // Node sends an array of headers unchanged.
      const headers = ['host', `127.0.0.1:${port}`, 'connection', 'close', ...lines.flat()]
      sendRequest({ port, host: '127.0.0.1', path: `/${times}`, headers }, (response) => {
        response.resume().on('end', resolve)
      })
        .on('error', reject)
        .end()
    })
    return seen.slice(before).map(({ headers }) => headers as Record<string, string>)
  }
})

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

async function callOnce(lines: HeaderLines) {
  const [headers] = await call(lines)
  const [, traceId, parentId, flags] = TRACEPARENT.exec(headers!.traceparent!) ?? []
  return { traceId, parentId, flags, tracestate: headers!.tracestate }
}

const withState = (...values: string[]): HeaderLines => [
  ['traceparent', VALID],
  ...values.map((value): [string, string] => ['tracestate', value])
]

t.test('a valid traceparent is continued with a new parent id (§4.3)', async (t) => {
  const valid: HeaderLines = [
    ['traceparent', VALID],
    ['TraceParent', VALID],
    ['TRACEPARENT', VALID],
    ['traceparent', ` \t${VALID}\t `],
    // Later versions of the format, with and without additional fields (§3.2.2).
    ['traceparent', VALID.replace('00-', 'cc-')],
    ['traceparent', VALID.replace('00-', 'cc-') + '-what-comes-later']
  ]
  for (const line of valid) {
    const { traceId, parentId, flags } = await callOnce([line])
    t.equal(traceId, TRACE, line.join(': '))
    t.not(parentId, PARENT)
    t.equal(flags, '01')
  }
})

t.test('an invalid traceparent begins a new trace, and its tracestate is dropped (§4.3)', async (t) => {
  const invalid: HeaderLines = [
    ['trace-parent', VALID],
    ['trace.parent', VALID],
    ['traceparent', ''],
    ...[
      VALID.toUpperCase(),
      `${VALID}.`,
      `${VALID}-what-comes-later`,
      VALID.replace('00-', 'cc-') + '.what-comes-later',
      VALID.replace('00-', 'ff-'),
      VALID.replace('00-', '.0-'),
      VALID.replace('00-', '0.-'),
      VALID.replace('00-', '000-'),
      VALID.replace('00-', '0-'),
      VALID.replace(TRACE, '0'.repeat(32)),
      VALID.replace(TRACE, `.${TRACE.slice(1)}`),
      VALID.replace(TRACE, `${TRACE.slice(1)}.`),
      VALID.replace(TRACE, `${TRACE}0`),
      VALID.replace(TRACE, TRACE.slice(1)),
      VALID.replace(PARENT, '0'.repeat(16)),
      VALID.replace(PARENT, `.${PARENT.slice(1)}`),
      VALID.replace(PARENT, `${PARENT.slice(1)}.`),
      VALID.replace(PARENT, `${PARENT}0`),
      VALID.replace(PARENT, PARENT.slice(1)),
      VALID.replace(/01$/, '.0'),
      VALID.replace(/01$/, '0.'),
      VALID.replace(/01$/, '001'),
      VALID.replace(/01$/, '1')
    ].map((value): [string, string] => ['traceparent', value])
  ]
  const ids = new Set<string>()
  for (const line of invalid) {
    const { traceId, tracestate } = await callOnce([line, ['tracestate', 'foo=1']])
    t.match(traceId, /^(?!0+$)[0-9a-f]{32}$/, line.join(': '))
    t.notOk(traceId!.includes(TRACE.slice(1, -1)), 'the new trace id has no part of the invalid one')
    t.equal(tracestate, undefined)
    ids.add(traceId!)
  }
  t.equal(ids.size, invalid.length)

  const twice = await callOnce([
    ['traceparent', VALID],
    ['traceparent', VALID.replace(TRACE, '1'.repeat(32))]
  ])
  t.notOk([TRACE, '1'.repeat(32)].includes(twice.traceId!), 'two headers are invalid')
})

t.test('the flags sampled and random are passed on, and all other flags are 0 (Level 2, §3.2.2.5)', async (t) => {
  const sent = async (flags: string) => (await callOnce([['traceparent', VALID.replace(/01$/, flags)]])).flags
  t.equal(await sent('00'), '00')
  t.equal(await sent('02'), '02')
  t.equal(await sent('03'), '03')
  t.equal(await sent('ff'), '03')
  t.equal(await sent('fc'), '00')
  t.equal((await callOnce([])).flags, '02', 'a new trace id is random')
})

t.test('each outgoing request has another parent id (§4.3)', async (t) => {
  for (const lines of [[], [['traceparent', VALID]], [['traceparent', VALID.replace(TRACE, '0'.repeat(32))]]]) {
    const headers = await call(lines as HeaderLines, 3)
    const ids = headers.map(({ traceparent }) => TRACEPARENT.exec(traceparent!)!.slice(1, 3))
    t.equal(new Set(ids.map(([traceId]) => traceId)).size, 1)
    t.equal(new Set(ids.map(([, parentId]) => parentId)).size, 3)
    t.notOk(ids.flat().includes(PARENT))
  }
})

t.test('tracestate', async (t) => {
  const sent = async (...values: string[]) => (await callOnce(withState(...values))).tracestate

  t.test('is passed on, also from several header lines (§3.3)', async (t) => {
    t.equal(await sent('foo=1,bar=2'), 'foo=1,bar=2')
    t.equal(await sent('foo=1,bar=2', 'rojo=1,congo=2', 'baz=3'), 'foo=1,bar=2,rojo=1,congo=2,baz=3')
    t.equal(
      (
        await callOnce([
          ['traceparent', VALID],
          ['TRACESTATE', 'foo=1']
        ])
      ).tracestate,
      'foo=1'
    )
    t.equal(await sent('foo=1 \t , \t bar=2, \t baz=3'), 'foo=1,bar=2,baz=3')
    t.equal(await sent('\t foo=1 \t'), 'foo=1')
    t.equal(await sent('foo=1', ''), 'foo=1')
    t.equal(await sent('', 'foo=1'), 'foo=1')
    t.equal(await sent(''), undefined)
    t.equal(await sent('foo=1,foo=2'), 'foo=1', 'the first of two members with the same key counts')
  })

  t.test('is dropped without a traceparent, or with another header name (§3.3)', async (t) => {
    t.equal((await callOnce([['tracestate', 'foo=1']])).tracestate, undefined)
    for (const name of ['trace-state', 'trace.state'])
      t.equal(
        (
          await callOnce([
            ['traceparent', VALID],
            [name, 'foo=1']
          ])
        ).tracestate,
        undefined
      )
  })

  t.test('may have every character that the grammar allows (§3.3.1.3)', async (t) => {
    const printable = String.fromCharCode(...Array.from({ length: 0x7f - 0x20 }, (_, i) => 0x20 + i))
    const key = 'abcdefghijklmnopqrstuvwxyz0123456789_-*/'
    const value = printable.replace(/[,=]/g, '')
    for (const each of [key, `${key}@a-z0-9_-*/`, 'foo@', 'foo@@bar', 'foo@bar@baz', '0foo'])
      t.equal(await sent(`${each}=${value}`), `${each}=${value}`)
  })

  t.test('is dropped completely for an illegal or too long member, or for a 33rd member (§3.3.1)', async (t) => {
    for (const bad of ['foo =1', 'FOO=1', 'foo.bar=1', '@foo=1', 'foo=bar=baz', 'foo=', `${'z'.repeat(257)}=1`])
      t.equal(await sent('bar=2', bad), undefined, bad)
    t.equal(await sent('bar=2', `${'z'.repeat(256)}=1`), `bar=2,${'z'.repeat(256)}=1`)
    const members = Array.from({ length: 33 }, (_, i) => `bar${i}=${i}`)
    t.equal(await sent(members.slice(0, 20).join(','), members.slice(20, 32).join(',')), members.slice(0, 32).join(','))
    t.equal(await sent(members.slice(0, 20).join(','), members.slice(20).join(',')), undefined)
  })
})
