import t from 'tap'
import errorDocument from '../../../../client/fallbacks/error-document.ts'

const SENTENCE =
  'Application error: a client-side or server-side exception has occurred while loading example.org (see the browser console or server logs for more information).'

t.test('has the exact error message, and the digest on a separate line', async (t) => {
  const html = errorDocument({ host: 'example.org', digest: 'A1B2C3', side: 'server', stylesheets: ['/assets/a.css'] })
  t.ok(html.startsWith('<!doctype html>'))
  t.ok(html.includes(`<h1>${SENTENCE}</h1>`))
  t.ok(html.includes('<p class="digest">Digest: A1B2C3</p>'))
  t.ok(html.includes('<link rel="stylesheet" href="/assets/a.css">'))
})

t.test('has no line for missing values', async (t) => {
  const html = errorDocument({ host: 'example.org' })
  t.notMatch(html, /Digest|It failed|stylesheet/)
})

t.test('has no scripts and no styles', async (t) => {
  t.notMatch(errorDocument({ host: 'example.org', digest: 'A1', side: 'client' }), /<script|<style|style=/)
})

t.test('escapes all input', async (t) => {
  const evil = `"'><script>alert(1)</script>&`
  const html = errorDocument({ host: evil, digest: evil, stylesheets: [evil], home: evil, lang: evil })
  t.notMatch(html, /<script|"'>/)
  t.ok(html.includes('&quot;&#39;&gt;&lt;script&gt;'))
})
