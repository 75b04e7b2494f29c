import t from 'tap'
import { BASE_POLICY, formatCsp, mergeCsp, parseCsp } from '../../../lib/http/csp.ts'

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
    t.throws(() => parseCsp(text), /is none$/, text)
})

t.test('refuses sources that would end the header or the directive', async (t) => {
  for (const source of ['a,b', 'é', '\u0000', 'a\u007f'])
    t.throws(() => parseCsp(`img-src ${source}`), /without commas, semicolons/, JSON.stringify(source))
  t.same(parseCsp('img-src a\r\nX-Evil: 1'), { 'img-src': ['a', 'X-Evil:', '1'] }, 'a line break is a space')
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
