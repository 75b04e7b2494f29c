import { globSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { build, type Rolldown } from 'vite'
import t, { type Test } from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { buildSite } from '@hull/test-helpers/site.ts'
import { asciiStrings } from '../../src/build/ascii-strings.ts'

/** Bundles a source for the server, and evaluates the bundle. */
async function bundle(t: Test, source: string) {
  const root = createFolder(t, { 'entry.js': source })
  const { output } = (await build({
    configFile: false,
    root,
    logLevel: 'silent',
    plugins: [asciiStrings],
    build: {
      ssr: 'entry.js',
      write: false,
      sourcemap: true,
      rolldownOptions: { output: { format: 'cjs', comments: false } }
    }
  })) as Rolldown.RolldownOutput
  const { code, map } = output[0]
  const module: { exports: unknown } = { exports: {} }
  runInNewContext(code, { module })
  return { code, map: map!, value: module.exports as unknown }
}

const isAscii = (code: string) => !/[^\0-\x7f]/.test(code)

const CASES: [of: string, source: string, value: unknown][] = [
  ['a string', "export default 'wait…'", 'wait…'],
  ['a character of two code units', "export default '🚢'", '🚢'],
  ['a string with backslashes before', "export default '\\\\ …' + '\\n…'", '\\ …\n…'],
  ['a template', 'export default `a ${1 + 1} → ${`b …`}`', 'a 2 → b …'],
  ['a key', "export default Object.keys({ 'naïve': 1 })[0]", 'naïve'],
  ['a regular expression', "export default /^[“–”🚢]+$/u.test('“🚢”')", true],
  ['comments', '/** …\n * @license … */\nexport default 1', 1]
]

for (const [of, source, value] of CASES)
  t.test(`escapes characters outside of ASCII: ${of}`, async (t) => {
    const bundled = await bundle(t, source)
    t.equal(bundled.value, value)
    t.ok(isAscii(bundled.code), bundled.code)
  })

t.test('does not change a tagged template', async (t) => {
  const { code, value } = await bundle(t, 'export default String.raw`…` + `–`')
  t.equal(value, '…–')
  t.match(code, /String\.raw`…`/)
  t.match(code, /\\u2013/)
})

t.test('keeps a character after a backslash', async (t) => {
  t.equal((await bundle(t, "export default '\\…' + /\\…/.test('…')")).value, '…true')
})

t.test('the source map has positions after an escape on the same line', async (t) => {
  const source = "export default '……………………' + globalThis.missing + globalThis.other"
  const { code, map } = await bundle(t, source)
  const before = code.slice(0, code.indexOf('missing')).split('\n')
  const found = new SourceMap(map as never).findEntry(before.length - 1, before.at(-1)!.length)
  t.match(found, { originalLine: 0, originalColumn: source.indexOf('missing') })
})

t.test('the bundle of the pages is ASCII', async (t) => {
  const { dist } = await buildSite(join(import.meta.dirname, '../fixtures/thrown'))
  const files = globSync('server/**/*.js', { cwd: dist }).map((file) => readFileSync(join(dist, file), 'utf8'))
  t.ok(files.some((code) => code.includes('opening \\u2026')))
  t.ok(files.every(isAscii))
})
