import { addBreadcrumb, type Envelope, setContext, setExtra, setTag, startSpan } from '@sentry/core'
import t, { type Test } from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createCollector } from '@hull/test-helpers/collector.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'
import { scrubEnvelope, scrubPart } from '../../../common/src/scrub-event.ts'
import { scrubText } from '../../../common/src/secrets.ts'

const site = await buildFixtureSite()

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N'

/** Texts that identify secrets: most secrets contain `s3cr3t`, and the others are listed. */
const SECRETS = ['s3cr3t', JWT, '203.0.113.77', 'ada@example.org']

const headers = {
  cookie: 'session=s3cr3t-cookie; theme=dark',
  authorization: 'Bearer s3cr3t-bearer',
  'proxy-authorization': 'Basic s3cr3t',
  'x-api-key': 's3cr3t-key',
  'x-forwarded-for': '203.0.113.77',
  'x-custom': 's3cr3t-header',
  referer: `http://localhost/before?token=s3cr3t-referer&page=2`,
  'user-agent': 'Browser/1.0',
  'content-type': 'text/plain'
}

async function leak(t: Test, env: Record<string, string>, path = '/leak') {
  const collector = createCollector()
  const { app, logs } = await createTestApp(t, {
    site,
    env: { TRACES_SAMPLE_RATE: '1', TRUST_PROXY: 'true', ...env },
    telemetryTo: collector.to
  })
  app.post('/quiet', async () => 'this route does not use the SDK')
  app.post('/leak', async () => {
    addBreadcrumb({
      message: `fetched https://api.example/x?access_token=s3cr3t-crumb&page=2`,
      data: { url: 'https://ada:s3cr3t@api.example/', password: 's3cr3t' }
    })
    setExtra('headers', { Authorization: 's3cr3t', accept: 'text/html' })
    // Data of the application that has the names of an event's own fields.
    setContext('build', { sdk: { token: 's3cr3t', name: 'password=s3cr3t' }, debug_meta: { key: 's3cr3t' } })
    setExtra('worker', { stacktrace: 'Error: Authorization: Bearer s3cr3t-stack', timestamp: 'token=s3cr3t' })
    setTag('mail', 'ada@example.org')
    startSpan(
      {
        name: 'GET https://api.example/?api_key=s3cr3t',
        op: 'custom',
        attributes: { 'url.full': `https://api.example/?q=${JWT}`, kept: 'yes' }
      },
      () => {}
    )
    throw new Error(
      `GET https://api.example/y?page=3&sig=s3cr3t-message&q=${JWT} failed: Authorization: Bearer s3cr3t-text`,
      {
        cause: new Error('password=s3cr3t-cause')
      }
    )
  })
  await app.inject({
    method: 'POST',
    url: `${path}?page=7&token=s3cr3t-query&q=${JWT}&mail=ada%40example.org`,
    headers,
    payload: 'body=s3cr3t-body'
  })
  await app.telemetry!.flush(60_000)
  logs.takeErrors()
  return collector
}

function assertNoSecrets(t: Test, texts: string[]) {
  for (const text of texts) {
    for (const secret of [...SECRETS, encodeURIComponent('ada@example.org')])
      t.notOk(
        text.includes(secret),
        `${secret} in ${text.slice(Math.max(0, text.indexOf(secret) - 120), text.indexOf(secret) + 40)}`
      )
  }
}

t.test('an error and its transaction contain useful data and no secrets', async (t) => {
  const collector = await leak(t, {})
  t.equal(collector.errors.length, 1)
  t.equal(collector.transactions.length, 1)
  assertNoSecrets(t, collector.texts)
  t.match(collector.errors[0], {
    request: {
      url: 'http://localhost:80/leak',
      query_string: 'page=7&token=[Filtered]&q=[Filtered]&mail=[Filtered]',
      headers: { 'user-agent': 'Browser/1.0', referer: 'http://localhost/before?token=[Filtered]&page=2' }
    },
    breadcrumbs: [{ message: 'fetched https://api.example/x?access_token=[Filtered]&page=2' }],
    extra: { headers: { accept: 'text/html' } },
    sdk: { name: /^sentry\./, version: String },
    user: undefined
  })
  t.match(
    collector.errors[0]!.exception!.values!.at(-1)!.value,
    'GET https://api.example/y?page=3&sig=[Filtered]&q=[Filtered] failed'
  )
  const { spans } = collector.transactions[0] as unknown as { spans: Array<{ op: string; data: object }> }
  t.match(
    spans.find(({ op }) => op === 'custom'),
    { description: 'GET https://api.example/?api_key=[Filtered]', data: { kept: 'yes' } }
  )
})

t.test('a transaction of a route that does not use the SDK contains no secrets', async (t) => {
  const { texts, transactions } = await leak(t, {}, '/quiet')
  t.equal(transactions.length, 1)
  assertNoSecrets(t, texts)
  t.match(transactions[0], {
    user: undefined,
    request: {
      url: 'http://localhost:80/quiet',
      query_string: 'page=7&token=[Filtered]&q=[Filtered]&mail=[Filtered]',
      headers: { 'user-agent': 'Browser/1.0', referer: 'http://localhost/before?token=[Filtered]&page=2' }
    }
  })
})

t.test('with SEND_PII, headers, cookies, query, body and IP address are sent', async (t) => {
  const collector = await leak(t, { SEND_PII: 'true' })
  t.match(collector.errors[0], {
    user: { ip_address: '203.0.113.77' },
    request: {
      headers: { authorization: 'Bearer s3cr3t-bearer', 'x-custom': 's3cr3t-header' },
      cookies: { session: 's3cr3t-cookie' },
      query_string: /token=s3cr3t-query/,
      data: 'body=s3cr3t-body'
    }
  })
  t.match(collector.errors[0]!.exception!.values!.at(-1)!.value, 's3cr3t-message')
})

t.test('text without secrets stays unchanged', async (t) => {
  for (const text of [
    'Cannot read properties of undefined (reading "parent_span_id")',
    'GET https://api.example/items?page=2&sort=name answered 503',
    'expected a === b',
    'at http://localhost:3000/assets/index-DiwrgTda.js:10:7',
    'Author: Grace Hopper',
    'Cannot find module /app/node_modules/.pnpm/@sentry+core@11.11.0/node_modules/@sentry/core/index.js',
    'Failed to fetch dynamically imported module: https://cdn.example/npm/chart.js@4.4.1/dist/chart.js',
    'https://app.example/pictures/logo@2x.png',
    '/sign-in?return=%2Forders%2F7%3Fpage%3D2&from=a+b'
  ])
    t.equal(scrubText(text), text)
})

t.test('a field whose name ends with the name of a secret is scrubbed', async (t) => {
  for (const [text, scrubbed] of [
    ['{"access_token": "s3cr3t", "page": 2}', '{"access_token": "[Filtered]", "page": 2}'],
    ['clientSecret: s3cr3t', 'clientSecret: [Filtered]'],
    ["refreshToken = 's3cr3t'", "refreshToken = '[Filtered]'"],
    ["Map(1) { 'password' => 's3cr3t' }", "Map(1) { 'password' => '[Filtered]' }"],
    [
      String.raw`{"body":"{\"password\":\"s3cr3t\",\"page\":2}"}`,
      String.raw`{"body":"{\"password\":\"[Filtered]",\"page\":2}"}`
    ]
  ] as const)
    t.equal(scrubText(text), scrubbed)
})

t.test('a field whose name only contains the letters of a secret is not scrubbed', async (t) => {
  t.equal(
    scrubText('/?className=a&businessName=b&processnode=c&ssn=s3cr3t&userSSN=s3cr3t&ssn_number=s3cr3t'),
    '/?className=a&businessName=b&processnode=c&ssn=[Filtered]&userSSN=[Filtered]&ssn_number=[Filtered]'
  )
  t.equal(
    scrubText('/?discard=a&cardinality=b&microphone=c&cardNumber=1&credit_card=2&phone=3&homePhone=4'),
    '/?discard=a&cardinality=b&microphone=c&cardNumber=[Filtered]&credit_card=[Filtered]&phone=[Filtered]&homePhone=[Filtered]'
  )
})

t.test('counts of tokens and booleans are not scrubbed, whatever their name', async (t) => {
  const harmless = { 'gen_ai.usage.input_tokens': 812, isAuthenticated: true, has_session: false, password: null }
  t.same(scrubPart(harmless), harmless)
  t.same(scrubPart({ pin: 1234, access_tokens: ['s3cr3t'], token: 7 }), {
    pin: '[Filtered]',
    access_tokens: '[Filtered]',
    token: '[Filtered]'
  })
  const log = { attributes: { 'gen_ai.usage.output_tokens': { value: 90, type: 'integer' } } }
  const envelope = [{}, [[{ type: 'log' }, { items: [structuredClone(log)] }]]] as unknown as Envelope
  scrubEnvelope(envelope)
  t.match(envelope[1][0]![1], { items: [log] })
})

t.test('a secret inside of an encoded value is scrubbed', async (t) => {
  for (const [text, scrubbed] of [
    ['/sign-in?return=%2Freset%3Ftoken%3Ds3cr3t&page=2', '/sign-in?return=[Filtered]&page=2'],
    ['/?next=%2Fa%3Fnext%3D%252Fb%253Fcode%253Ds3cr3t', '/?next=[Filtered]'],
    ['/?filter=%7B%22password%22%3A%22s3cr3t%22%7D', '/?filter=[Filtered]'],
    ['/?q=to+ada%40example.org', '/?q=[Filtered]']
  ] as const)
    t.equal(scrubText(text), scrubbed)
})

t.test('an e-mail address is scrubbed, whatever its host is', async (t) => {
  for (const address of [
    'ada@example.org',
    'a.da+x@163.com',
    'ada@mail.example.co.uk',
    'ada@192.0.2.7',
    'ada@2x.example'
  ])
    t.equal(scrubText(`no mail to <${address}>`), 'no mail to <[Filtered]>', address)
})

t.test('a password of a URL without a user name is scrubbed', async (t) => {
  t.equal(scrubText('connect redis://:s3cr3t@redis:6379/0'), 'connect redis://[Filtered]@redis:6379/0')
})

t.test('a text is scrubbed in the same way each time', async (t) => {
  for (let round = 0; round < 3; round++) {
    t.equal(scrubText('GET /items?page=2'), 'GET /items?page=2')
    t.equal(scrubText('GET /items?token=s3cr3t'), 'GET /items?token=[Filtered]')
    // More texts than the cache holds.
    for (let number = 0; number < 600; number++) {
      if (scrubText(`at:${number}`) !== `at:${number}`) t.fail(`at:${number}`)
      if (scrubText(`token=${number}`) !== 'token=[Filtered]') t.fail(`token=${number}`)
    }
  }
})

t.test('text that could cause catastrophic backtracking is scrubbed', async (t) => {
  for (const piece of ['a@', '?a=', 'token=', 'eyJ', 'eyJ-', 'http://a:', 'a.b@c.', 'password: "', '?a=%4', '%40'])
    t.type(scrubText(piece.repeat(20_000)), 'string', piece)
})
