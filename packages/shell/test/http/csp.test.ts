import t from 'tap'
import { addNonce, addNonceToHeader, BASE_POLICY, formatCsp, mergeCsp, parseCsp } from '../../src/http/csp.ts'

t.test('reads directives as a header has them', async (t) => {
  t.same(parseCsp("img-src https://cdn.example  'self'; connect-src wss://a.example;"), {
    'img-src': ['https://cdn.example', "'self'"],
    'connect-src': ['wss://a.example']
  })
  t.same(parseCsp('img-src a.example; img-src b.example'), { 'img-src': ['a.example', 'b.example'] })
  t.same(parseCsp('upgrade-insecure-requests'), { 'upgrade-insecure-requests': [] })
  t.same(parseCsp(' ; ;'), {})
})

t.test('refuses what is no directive, naming it', async (t) => {
  for (const text of ['imgsrc x', 'IMG-SRC x', 'constructor x', '__proto__ x', 'img-src x; nonsense'])
    t.throws(() => parseCsp(text), /is not one$/, text)
})

t.test('refuses a directive without a source, which would add nothing', async (t) => {
  for (const text of ['img-src', 'img-src ;', 'worker-src blob:; img-src'])
    t.throws(() => parseCsp(text), /img-src has no source$/, text)
  t.doesNotThrow(() => parseCsp('sandbox'))
})

t.test('refuses sources that would end the header or the directive', async (t) => {
  for (const source of ['a,b', 'é', '\u0000', 'a\u007f'])
    t.throws(() => parseCsp(`img-src ${source}`), /without commas, semicolons/, JSON.stringify(source))
  t.same(parseCsp('img-src a\r\nX-Evil: 1'), { 'img-src': ['a', 'X-Evil:', '1'] }, 'a line break is a space')
})

t.test('refuses a keyword or hash without quotes, and says how to write it', async (t) => {
  for (const word of ['self', 'none', 'Self', 'unsafe-inline', 'strict-dynamic', 'sha256-AbC+/d=='])
    t.throws(() => parseCsp(`script-src ${word}`), { message: `in single quotes: '${word}', not ${word}` }, word)
  for (const word of ["'selfish'", "'self", "self'", "''", "'", "'sha1-AbC'", "'self''none'"])
    t.throws(() => parseCsp(`script-src ${word}`), /such as 'self'; .* is not one$/, word)
  for (const word of ["'nonce-AbC'", 'nonce-AbC'])
    t.throws(() => parseCsp(`script-src ${word}`), /without a nonce/, word)
  for (const text of [
    "script-src 'unsafe-inline' 'UNSAFE-EVAL' 'sha256-AbC+/d=='",
    'img-src self.example data: *',
    'sandbox none',
    'report-to self'
  ])
    t.doesNotThrow(() => parseCsp(text), text)
})

t.test("refuses 'none' beside other sources", async (t) => {
  for (const text of ["img-src 'none' a.example", "img-src a.example; img-src 'none'"])
    t.throws(() => parseCsp(text), /'none' alone/, text)
})

t.test("an added 'none' takes the place of what was there", async (t) => {
  t.same(mergeCsp(BASE_POLICY, { 'img-src': ["'none'"] })['img-src'], ["'none'"])
  t.same(mergeCsp(BASE_POLICY, { 'worker-src': ["'none'"] })['worker-src'], ["'none'"])
})

t.test('a directive that was not there starts from what a browser would go by', async (t) => {
  const startOf = (name: string, more: Record<string, string[]> = {}) =>
    mergeCsp(BASE_POLICY, { [name]: ['https://a.example'], ...more })[name]
  for (const name of ['worker-src', 'frame-src', 'media-src', 'manifest-src', 'script-src-elem', 'style-src-attr'])
    t.same(startOf(name), ["'self'", 'https://a.example'], name)
  t.same(startOf('worker-src', { 'script-src': ['b.example'] }), ["'self'", 'b.example', 'https://a.example'])
  t.same(startOf('frame-src', { 'child-src': ["'none'"] }), ['https://a.example'])
  t.same(startOf('worker-src', { 'child-src': ['c.example'] }), ["'self'", 'c.example', 'https://a.example'])
  t.same(startOf('report-uri'), ['https://a.example'], 'where it is no fetch directive, from nothing')
  t.same(mergeCsp({}, { 'worker-src': ['blob:'] }), { 'worker-src': ['blob:'] })
})

t.test(
  'a nonce is added for inline scripts and style elements, unless it would switch off that all are allowed',
  async (t) => {
    const scripts = (more: string) => {
      const policy = addNonce(mergeCsp(BASE_POLICY, parseCsp(more)), "'nonce-x'")
      return [policy['script-src'], policy['script-src-elem']].map((sources) => sources?.includes("'nonce-x'"))
    }
    t.same(scripts(''), [true, undefined])
    t.same(scripts('script-src-elem https://a.example'), [true, true])
    t.same(scripts("script-src 'none'"), [true, undefined])
    t.same(scripts("script-src 'unsafe-inline'"), [false, undefined])
    t.same(scripts("script-src-elem 'unsafe-inline'"), [true, false])
    t.same(scripts("script-src 'unsafe-inline' 'strict-dynamic'"), [true, undefined], 'off already')
    t.same(scripts("script-src 'unsafe-inline' 'sha256-AbC='"), [true, undefined], 'off already')

    const styles = (more: string) => {
      const policy = addNonce(mergeCsp(BASE_POLICY, parseCsp(more)), "'nonce-x'")
      return ['style-src', 'style-src-elem', 'style-src-attr'].map((name) => policy[name]?.includes("'nonce-x'"))
    }
    t.same(styles(''), [true, undefined, undefined])
    t.same(styles("style-src 'unsafe-inline'"), [false, undefined, undefined])
    t.same(styles("style-src-attr 'unsafe-inline'"), [true, undefined, false])
    t.same(styles('style-src-elem https://a.example'), [true, true, undefined])
  }
)

t.test('a nonce is added to each policy of a header, whatever its directives are', async (t) => {
  for (const [header, expected] of [
    ["script-src 'self'; frame-src https://pay.example", "script-src 'self' 'nonce-x'; frame-src https://pay.example"],
    ["default-src 'self'", "script-src 'self' 'nonce-x'; style-src 'self' 'nonce-x'; default-src 'self'"],
    ["default-src 'none'; later x", "script-src 'nonce-x'; style-src 'nonce-x'; default-src 'none'; later x"],
    ["frame-ancestors 'none', script-src a.example", "frame-ancestors 'none', script-src a.example 'nonce-x'"]
  ] as const)
    t.equal(addNonceToHeader(header, "'nonce-x'"), expected)
})

t.test('adds sources once, and none gives way', async (t) => {
  const merged = mergeCsp(BASE_POLICY, {
    'img-src': ["'self'", 'https://a.example'],
    'object-src': ['https://b.example']
  })
  t.same(merged['img-src'], ["'self'", 'data:', 'https://a.example'])
  t.same(merged['object-src'], ['https://b.example'])
  t.same(mergeCsp({}, { 'object-src': ["'none'"] }), { 'object-src': ["'none'"] })
  t.same(BASE_POLICY['object-src'], ["'none'"], 'the base is left alone')
})

t.test('writes one header line', async (t) => {
  t.equal(
    formatCsp({ 'img-src': ["'self'", 'data:'], 'upgrade-insecure-requests': [] }),
    "img-src 'self' data:; upgrade-insecure-requests"
  )
})

t.test('the policy allows nothing inline, no eval and no frame', async (t) => {
  const policy = formatCsp(BASE_POLICY)
  t.notMatch(policy, /unsafe|\*|https?:/)
  for (const part of [
    "default-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'"
  ])
    t.match(policy, part)
})
