import t from 'tap'
import { createDsnList, parseDsn } from '../../src/envelope/dsn.ts'

const OWN = 'https://key@o1.ingest.sentry.example/42'

t.test('parses a DSN into its parts', async (t) => {
  t.same(parseDsn(OWN), {
    protocol: 'https',
    publicKey: 'key',
    host: 'o1.ingest.sentry.example',
    path: '',
    project: '42'
  })
  t.same(parseDsn('http://key:secret@SENTRY.example:9000/a/b/1/'), {
    protocol: 'http',
    publicKey: 'key',
    host: 'sentry.example:9000',
    path: '/a/b',
    project: '1'
  })
  t.equal(parseDsn('http://key@[::1]:9000/1')?.host, '[::1]:9000')
})

t.test('refuses invalid DSNs', async (t) => {
  for (const text of [
    '',
    'key@sentry.example/42',
    '//key@sentry.example/42',
    'ftp://key@sentry.example/42',
    'https://sentry.example/42',
    'https://@sentry.example/42',
    'https://key@/42',
    'https://key@sentry.example',
    'https://key@sentry.example/',
    'https://key@sentry.example/web',
    'https://key@sentry.example/42x',
    'https://key@sentry.example//42',
    'https://key@sentry.example/42?x',
    'https://key@sentry.example/42#x',
    'https://key@evil@sentry.example/42',
    'https://key@sentry.example\\@evil.example/42',
    'https://k%65y@sentry.example/42',
    'https://key@sentry.example/%34%32',
    ' https://key@sentry.example/42',
    'https://key@sentry.example/42\n',
    'https://key@sentry.example:99999/42',
    `https://key@sentry.example/${'4'.repeat(5_000)}`
  ])
    t.equal(parseDsn(text), undefined, JSON.stringify(text.slice(0, 60)))
})

t.test('finds a configured DSN by every equivalent spelling', async (t) => {
  const find = createDsnList([OWN, 'http://b@sentry.example:80/x/7/'])
  for (const text of [
    OWN,
    'https://key@o1.ingest.sentry.example:443/42',
    'https://key@O1.Ingest.sentry.example/42/',
    'HTTPS://key@o1.ingest.sentry.example/42',
    'https://key:secret@o1.ingest.sentry.example/42'
  ])
    t.strictSame(find(text), { dsn: OWN, provider: OWN }, text)
  t.equal(find('http://b@sentry.example/x/7')?.dsn, 'http://b@sentry.example:80/x/7/')
})

t.test('finds the provider of a DSN', async (t) => {
  const target = { dsn: 'https://own@inbox.example/1', provider: OWN }
  const find = createDsnList([target])
  t.equal(find('https://own@inbox.example/1/'), target)
  t.equal(find(OWN), undefined, "clients must not use the provider's own DSN")
})

t.test('uses the first of two spellings of a DSN', async (t) => {
  const find = createDsnList([OWN, `${OWN}/`])
  t.equal(find(OWN)?.provider, OWN)
  t.equal(find(OWN.replace('/42', ':443/42'))?.provider, OWN)
})

t.test('does not find a DSN that differs in any part', async (t) => {
  const find = createDsnList([OWN])
  for (const text of [
    'http://key@o1.ingest.sentry.example/42',
    'https://Key@o1.ingest.sentry.example/42',
    'https://key2@o1.ingest.sentry.example/42',
    'https://key@o2.ingest.sentry.example/42',
    'https://key@ingest.sentry.example/42',
    'https://key@o1.ingest.sentry.example.evil.example/42',
    'https://key@o1.ingest.sentry.example:8443/42',
    'https://key@o1.ingest.sentry.example:80/42',
    'https://key@o1.ingest.sentry.example/43',
    'https://key@o1.ingest.sentry.example/042',
    'https://key@o1.ingest.sentry.example/x/42',
    'https://key@o1.ingest.sentry.example.:443/42',
    '__proto__',
    '',
    undefined
  ])
    t.equal(find(text), undefined, String(text))
  t.equal(createDsnList([])(OWN), undefined)
})

t.test('throws an error for a list with an invalid DSN', async (t) => {
  t.throws(() => createDsnList([OWN, 'https://sentry.example']), /a DSN is https:/)
})
