import t from 'tap'
import { findInlineScripts } from '../../../../bench/measures/scripts.ts'

t.test('findInlineScripts', async (t) => {
  t.test('finds the code of classic scripts and of modules', async (t) => {
    t.strictSame(
      findInlineScripts(
        '<script>one()</script><p>text</p><script type="module" nonce="x">\ntwo()\n</script><SCRIPT type="text/javascript">three()</SCRIPT>'
      ),
      ['one()', '\ntwo()\n', 'three()']
    )
  })
  t.test('ignores scripts with `src` and data', async (t) => {
    t.strictSame(
      findInlineScripts(
        '<script src="/a.js"></script><script async="" type="module" src="/b.js"></script><script type="application/json" id="data">{}</script>'
      ),
      []
    )
  })
})
