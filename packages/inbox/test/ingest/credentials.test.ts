import t from 'tap'
import { removeCredentials } from '../../src/ingest/credentials.ts'
import { createIngest, RECEIVED } from '../helpers/ingest.ts'
import { detailOf } from '../helpers/normalise.ts'

const FILTERED = '[Filtered]'

t.test('stores no credentials of an event, whichever part contains them', async (t) => {
  const login = { plan: 'gold', login: { password: 'hunter2', items: [{ api_key: 'hunter2' }] } }
  const stored = { plan: 'gold', login: `{"password":"${FILTERED}","items":[{"api_key":"${FILTERED}"}]}` }
  const event = detailOf({
    message: 'connect to postgres://hull:hunter2@db/hull',
    tags: { token: 'hunter2', plan: 'gold' },
    extra: login,
    contexts: { order: login, credentials: { user: 'hunter2' } },
    user: { id: '7', data: login },
    breadcrumbs: [{ category: 'fetch', message: '/a?token=hunter2', data: { ...login, url: '/a?b=1&code=hunter2' } }],
    request: {
      url: 'https://shop.example/login',
      query_string: 'code=hunter2&page=2&access_token=hunter2',
      headers: { Accept: '*/*', 'X-Api-Key': 'hunter2', 'X-CSRF-Token': ['hunter2'] },
      cookies: { theme: 'dark', PHPSESSID: 'hunter2', 'connect.sid': 'hunter2', session: 'hunter2' },
      data: login
    },
    exception: [
      {
        type: 'Error',
        value: 'refused {"password": "hunter2"}',
        stacktrace: { frames: [{ filename: 'a.py', vars: { form: login, password: 'hunter2' } }] }
      }
    ]
  })
  t.notMatch(JSON.stringify(event), /hunter2/)
  t.match(event, {
    message: `connect to postgres://hull:${FILTERED}@db/hull`,
    tags: [
      ['token', FILTERED],
      ['plan', 'gold']
    ],
    extra: stored,
    contexts: { order: stored, credentials: { credentials: FILTERED } },
    user: { data: stored },
    breadcrumbs: [{ message: `/a?token=${FILTERED}`, data: { ...stored, url: `/a?b=1&code=${FILTERED}` } }],
    request: {
      query: `code=${FILTERED}&page=2&access_token=${FILTERED}`,
      headers: [
        ['Accept', '*/*'],
        ['X-Api-Key', FILTERED],
        ['X-CSRF-Token', FILTERED]
      ],
      cookies: [
        ['theme', 'dark'],
        ['PHPSESSID', FILTERED],
        ['connect.sid', FILTERED],
        ['session', FILTERED]
      ],
      body: `{"plan":"gold","login":${stored.login}}`
    },
    exceptions: [{ value: `refused {"password": "${FILTERED}"}`, frames: [{ variables: { password: FILTERED } }] }]
  })
})

t.test('stores no credentials of spans and log lines', async (t) => {
  const { takeItems, all } = createIngest(t)
  const attributes = { 'http.request.body.password': 'hunter2', 'url.full': '/a?token=hunter2', route: '/a' }
  const times = { start_timestamp: RECEIVED / 1_000 - 1, timestamp: RECEIVED / 1_000 }
  const trace = { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) }
  takeItems([
    [{ type: 'span' }, { ...trace, ...times, description: 'GET /a?token=hunter2', data: attributes }],
    [{ type: 'log' }, { items: [{ body: 'GET /a?token=hunter2', attributes }] }]
  ])
  const stored = { 'http.request.body.password': FILTERED, 'url.full': `/a?token=${FILTERED}`, route: '/a' }
  const rows = [...all('SELECT name, attributes FROM span'), ...all('SELECT body AS name, attributes FROM log')]
  t.same(
    rows.map(({ name, attributes: text }) => [name, JSON.parse(String(text))]),
    [
      [`GET /a?token=${FILTERED}`, stored],
      [`GET /a?token=${FILTERED}`, stored]
    ]
  )
})

t.test('stores no credentials of headers in local variables, in any format of a server', async (t) => {
  const vars = {
    environ: { HTTP_COOKIE: "'session=hunter2'", REQUEST_METHOD: "'GET'" },
    scope: {
      headers: [
        ["b'cookie'", "b'session=hunter2'"],
        ['authorization', 'hunter2'],
        ["b'accept'", "b'*/*'"]
      ]
    }
  }
  const { exceptions } = detailOf({ exception: [{ type: 'E', stacktrace: { frames: [{ filename: 'a.py', vars }] } }] })
  t.same(exceptions[0]?.frames[0]?.variables, {
    environ: `{"HTTP_COOKIE":"${FILTERED}","REQUEST_METHOD":"'GET'"}`,
    scope: `{"headers":[["b'cookie'","${FILTERED}"],["authorization","${FILTERED}"],["b'accept'","b'*/*'"]]}`
  })
})

t.test('keeps values whose names only resemble names of credentials', async (t) => {
  const extra = {
    author: 'Ada',
    authority: 'shop.example',
    authenticated: 'yes',
    code: 'ECONNREFUSED',
    key: 'cart',
    compass: 'north',
    discarded: 'no',
    email: 'ada@example.org',
    hasPassword: true,
    password: null,
    token: 'None',
    input_tokens: 12,
    session: 'seen',
    tokens: 3
  }
  const texts = Object.entries(extra).filter(([, value]) => value !== null)
  t.same(detailOf({ extra }).extra, Object.fromEntries(texts.map(([name, value]) => [name, String(value)])))
  t.same(detailOf({ extra: { all: extra } }).extra, { all: JSON.stringify(extra) })
})

t.test('removes credentials from a text, and keeps the rest', async (t) => {
  const rows: [text: string, kept: string][] = [
    ['user=ada&password=hunter2', 'user=ada&password=[Filtered]'],
    ['Server=db;User Id=hull;Password=hunter2;Pooling=true', 'Server=db;User Id=hull;Password=[Filtered];Pooling=true'],
    ['refused Authorization: Bearer abc.def-1', 'refused Authorization: Bearer [Filtered]'],
    ["['--password=hunter2', '-v']", "['--password=[Filtered]', '-v']"],
    ["{'token': b'hunter2', 'Cookie': 'a=hunter2'}", "{'token': '[Filtered]', 'Cookie': '[Filtered]'}"],
    ['/signed-in#code=hunter2&state=7', '/signed-in#code=[Filtered]&state=7'],
    ['host=db password=hunter2 user=hull', 'host=db password=[Filtered] user=hull'],
    ['{"user":"ada","password":"hun\\"ter2","age":7}', '{"user":"ada","password":"[Filtered]","age":7}'],
    ['{"user":"ada","password":"hunt', '{"user":"ada","password":"[Filtered]"'],
    ["<User {'name': 'Ada', 'password': 'hunter2'}>", "<User {'name': 'Ada', 'password': '[Filtered]'}>"],
    ['{"pin":1234,"tokens":[1,2],"token":null}', '{"pin":"[Filtered]","tokens":"[Filtered]","token":null}'],
    ['{"a":{"secret":{"b":{"password":"x"}}}}', '{"a":{"secret":{"b":{"password":"[Filtered]"}}}}'],
    ['redis://:hunter2@cache:6379/0', 'redis://:[Filtered]@cache:6379/0']
  ]
  for (const [text, kept] of rows) {
    t.equal(removeCredentials(text), kept)
    t.equal(removeCredentials(kept), kept, 'also when an export is received')
  }
  for (const text of [
    'exit code=1',
    'asked the model: input_tokens=512 output_tokens=20',
    'https://host:8080/@ada/posts?page=2',
    'https://public@inbox.example/1',
    'Unexpected token "x" in {"total_tokens":12}',
    'Basic authentication and bearer tokens are refused',
    'a == b && token === c'
  ])
    t.equal(removeCredentials(text), text)
})

t.test('removes private keys from a text, also one that is cut', async (t) => {
  const body = `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\n${'a1/+'.repeat(16)}\n`
  for (const kind of ['PRIVATE KEY', 'RSA PRIVATE KEY', 'ENCRYPTED PRIVATE KEY', 'OPENSSH PRIVATE KEY']) {
    const [begin, end] = [`-----BEGIN ${kind}-----`, `-----END ${kind}-----`]
    t.equal(removeCredentials(`no key ${begin}\n${body}${end}\n in it`), `no key ${FILTERED}\n in it`, kind)
    t.equal(removeCredentials(`${begin}\\n${body}`), FILTERED, 'cut')
  }
  const certificate = `-----BEGIN CERTIFICATE-----\n${body}-----END CERTIFICATE-----`
  t.equal(removeCredentials(certificate), certificate)
})
