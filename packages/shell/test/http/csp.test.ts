import t from 'tap'
import { addNonce, addNonceToHeader, BASE_POLICY, formatCsp, mergeCsp, parseCsp } from '../../src/http/csp.ts'

t.test('parses directives in the syntax of the header', async (t) => {
  t.same(parseCsp("img-src https://cdn.example  'self'; connect-src wss://a.example;"), {
    'img-src': ['https://cdn.example', "'self'"],
    'connect-src': ['wss://a.example']
  })
  t.same(parseCsp('img-src a.example; img-src b.example'), { 'img-src': ['a.example', 'b.example'] })
  t.same(parseCsp('upgrade-insecure-requests'), { 'upgrade-insecure-requests': [] })
  t.same(parseCsp(' ; ;'), {})
})

t.test('refuses an unknown directive, and names it', async (t) => {
  for (const text of ['imgsrc x', 'IMG-SRC x', 'constructor x', '__proto__ x', 'img-src x; nonsense'])
    t.throws(() => parseCsp(text), /is not one$/, text)
})

t.test('refuses a directive without a source, because it would add nothing', async (t) => {
  for (const text of ['img-src', 'img-src ;', 'worker-src blob:; img-src'])
    t.throws(() => parseCsp(text), /img-src has no source$/, text)
  t.doesNotThrow(() => parseCsp('sandbox'))
})

t.test('refuses sources that would end the header or the directive', async (t) => {
  for (const source of ['a,b', 'é', '\u0000', 'a\u007f'])
    t.throws(() => parseCsp(`img-src ${source}`), /without commas, semicolons/, JSON.stringify(source))
  t.same(parseCsp('img-src a\r\nX-Evil: 1'), { 'img-src': ['a', 'X-Evil:', '1'] }, 'a line break counts as a space')
})

t.test('refuses a keyword or hash without quotes, and shows the correct notation', async (t) => {
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

t.test("refuses 'none' with other sources", async (t) => {
  for (const text of ["img-src 'none' a.example", "img-src a.example; img-src 'none'"])
    t.throws(() => parseCsp(text), /'none' alone/, text)
})

t.test("an added 'none' replaces the existing sources", async (t) => {
  t.same(mergeCsp(BASE_POLICY, { 'img-src': ["'none'"] })['img-src'], ["'none'"])
  t.same(mergeCsp(BASE_POLICY, { 'worker-src': ["'none'"] })['worker-src'], ["'none'"])
})

t.test('a new directive starts with the sources of the directive that browsers fall back to', async (t) => {
  const startOf = (name: string, more: Record<string, string[]> = {}) =>
    mergeCsp(BASE_POLICY, { [name]: ['https://a.example'], ...more })[name]
  for (const name of ['worker-src', 'frame-src', 'media-src', 'manifest-src', 'script-src-elem', 'style-src-attr'])
    t.same(startOf(name), ["'self'", 'https://a.example'], name)
  t.same(startOf('worker-src', { 'script-src': ['b.example'] }), ["'self'", 'b.example', 'https://a.example'])
  t.same(startOf('frame-src', { 'child-src': ["'none'"] }), ['https://a.example'])
  t.same(startOf('worker-src', { 'child-src': ['c.example'] }), ["'self'", 'c.example', 'https://a.example'])
  t.same(startOf('report-uri'), ['https://a.example'], 'other directives than fetch directives start empty')
  t.same(mergeCsp({}, { 'worker-src': ['blob:'] }), { 'worker-src': ['blob:'] })
})

t.test(
  "adds a nonce for inline scripts and style elements, except to 'unsafe-inline', which a nonce would disable",
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
    t.same(
      scripts("script-src 'unsafe-inline' 'strict-dynamic'"),
      [true, undefined],
      "another source already disables 'unsafe-inline'"
    )
    t.same(
      scripts("script-src 'unsafe-inline' 'sha256-AbC='"),
      [true, undefined],
      "another source already disables 'unsafe-inline'"
    )

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

t.test('adds a nonce to each policy of a header, with any directives', async (t) => {
  for (const [header, expected] of [
    ["script-src 'self'; frame-src https://pay.example", "script-src 'self' 'nonce-x'; frame-src https://pay.example"],
    ["default-src 'self'", "script-src 'self' 'nonce-x'; style-src 'self' 'nonce-x'; default-src 'self'"],
    ["default-src 'none'; later x", "script-src 'nonce-x'; style-src 'nonce-x'; default-src 'none'; later x"],
    ["frame-ancestors 'none', script-src a.example", "frame-ancestors 'none', script-src a.example 'nonce-x'"]
  ] as const)
    t.equal(addNonceToHeader(header, "'nonce-x'"), expected)
})

t.test('adds each source once, and keeps the others', async (t) => {
  const merged = mergeCsp(BASE_POLICY, {
    'img-src': ["'self'", 'https://a.example'],
    'object-src': ['https://b.example']
  })
  t.same(merged['img-src'], ["'self'", 'data:', 'https://a.example'])
  t.same(merged['object-src'], ['https://b.example'])
  t.same(mergeCsp({}, { 'object-src': ["'none'"] }), { 'object-src': ["'none'"] })
  t.same(BASE_POLICY['object-src'], ["'none'"], 'the base policy is not changed')
})

t.test('writes a policy in one line', async (t) => {
  t.equal(
    formatCsp({ 'img-src': ["'self'", 'data:'], 'upgrade-insecure-requests': [] }),
    "img-src 'self' data:; upgrade-insecure-requests"
  )
})

t.test('the base policy allows no inline code, no eval and no frame', async (t) => {
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
