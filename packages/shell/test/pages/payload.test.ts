import t from 'tap'
import { decodePayload, ReceivedValues } from '../../src/client/page-data/payload.ts'
import type { Codec } from '../../src/routing/payload.ts'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { readElement, scanScripts } from '@hull/test-helpers/html.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()

async function createVisitor(t: Parameters<typeof createTestApp>[0]) {
  const { app } = await createTestApp(t, { site })
  return {
    async byDocument(url: string) {
      const { body } = await app.inject(url)
      const { text, attributes } = readElement(body, 'hull-payload')
      return {
        body,
        codec: attributes['data-codec'],
        payload: decodePayload(text, attributes['data-codec'] as Codec, new ReceivedValues())
      }
    },
    async byNavigation(url: string) {
      const { body, headers } = await app.inject(`/-/data${url}`)
      const codec = headers['x-payload-codec'] as Codec
      return { codec, payload: decodePayload(body, codec, new ReceivedValues()) }
    }
  }
}

t.test('page data is the same in the document and in a navigation', async (t) => {
  const { byDocument, byNavigation } = await createVisitor(t)
  for (const [url, codec] of [
    ['/payload', 'devalue'],
    ['/plain', 'json'],
    ['/items/a%2Fb?c=d', 'json'],
    ['/docs/a/b', 'json'],
    ['/', 'json']
  ] as const) {
    const document = await byDocument(url)
    const navigation = await byNavigation(url)
    t.equal(document.codec, codec, url)
    t.equal(navigation.codec, codec, url)
    t.strictSame(navigation.payload, document.payload, url)
  }
})

t.test('dates, maps, sets, big integers, undefined, cycles and repeated references are restored', async (t) => {
  const { byDocument, byNavigation } = await createVisitor(t)
  for (const { payload } of [await byDocument('/payload'), await byNavigation('/payload')]) {
    const data = payload.data as Record<string, never> & {
      cyclic: { self: unknown }
      pair: unknown[]
      map: Map<unknown, unknown>
    }
    t.strictSame(data.date, new Date(86_400_000))
    t.strictSame(data.set, new Set([1, 'two', 3n]))
    t.equal(data.big, 12345678901234567890n)
    t.ok('nothing' in data && data.nothing === undefined)
    t.equal(data.cyclic.self, data.cyclic)
    t.equal(data.pair[0], data.pair[1])
    t.ok([...data.map.keys()].includes(data.pair[0]), 'the key is the same object')
    t.strictSame(data.numbers, [NaN, Infinity, -0])
    t.strictSame(data.hostile, [
      '</script><script>alert(1)</script>',
      '<!--<script>',
      '\u2028\u2029',
      '</ScRiPt ',
      ']]>',
      '\u0000',
      '\ud800'
    ])
  }
})

t.test('no value ends its script element', async (t) => {
  const { byDocument } = await createVisitor(t)
  for (const url of [
    '/payload',
    '/plain',
    '/items/%3C%2Fscript%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E',
    '/docs/%3C!--/%3Cscript'
  ]) {
    const { body } = await byDocument(url)
    const scripts = scanScripts(body)
    t.same(
      scripts.map(({ attributes }) => attributes.type),
      ['application/json', 'module'],
      `${url} has only the scripts of the shell`
    )
    t.equal(scripts[1]?.text, '')
    t.notMatch(scripts[0]?.text, /<[/!s]/i)
  }
})

t.test('the payload has the path as data, and the markup does not have it', async (t) => {
  const { byDocument } = await createVisitor(t)
  const { body, payload } = await byDocument('/items/7?%3Cscript%3E&q="><script>alert(1)</script>')
  t.equal(payload.pathname, '/items/7')
  t.notMatch(body, 'alert(1)')
})

t.test('a value that cannot be encoded is a failure, and only the log names its place', async (t) => {
  const { app, logs } = await createTestApp(t, { site })
  for (const [kind, where] of [
    ['proto', '.data.deep.value'],
    ['function', '.data.deep.value'],
    ['class', '.data.deep.value']
  ] as const) {
    const url = `/fail/serializer?kind=${kind}`
    const response = await app.inject(url)
    t.equal(response.statusCode, 500, kind)
    t.notMatch(response.body, 'deep')
    t.match(logs.takeErrors()[0], {
      err: { code: 'APP_PAYLOAD_UNSERIALISABLE', message: new RegExp(where.replaceAll('.', '\\.')) }
    })
    const data = await app.inject(`/-/data${url}`)
    t.equal(data.statusCode, 500, kind)
    t.match(data.json(), { code: 'APP_PAYLOAD_UNSERIALISABLE', digest: String })
    logs.takeErrors()
  }
  t.equal((await app.inject('/fail/serializer?kind=large')).statusCode, 500)
  t.match(logs.takeErrors()[0], { err: { code: 'APP_PAYLOAD_TOO_LARGE' } })
})
