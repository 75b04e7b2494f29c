import t from 'tap'
import { findScripts } from '../../../bench/measures/scripts.ts'

t.test('findScripts', async (t) => {
  const base = new URL('http://127.0.0.1/')
  const urls = (html: string) => findScripts(html, base).map(({ url }) => url.slice(base.href.length))

  t.test('finds scripts and preloads, each once', async (t) => {
    t.strictSame(
      urls(
        '<link rel="modulepreload" crossorigin href="/a.js"><script type="module" src="/b.js"></script><script type="module" src="/a.js"></script>'
      ),
      ['a.js', 'b.js']
    )
    t.strictSame(
      urls('<link rel="preload" as="script" href="/a.js"><script async="" src="/a.js?v=1&amp;w=2"></script>'),
      ['a.js', 'a.js?v=1&w=2']
    )
  })
  t.test('passes over styles, data and what module browsers skip', async (t) => {
    t.strictSame(
      urls(
        '<link rel="preload" as="style" href="/a.css"><script type="application/json">{}</script><script src="/old.js" noModule=""></script>'
      ),
      []
    )
  })
  t.test('remembers which are modules', async (t) => {
    t.strictSame(
      findScripts('<script src="/a.js"></script><script type="module" src="/b.js"></script>', base).map(
        ({ module }) => module
      ),
      [false, true]
    )
  })
})
