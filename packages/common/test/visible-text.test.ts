import t from 'tap'
import { clip, toVisibleParts, toVisibleText } from '../src/visible-text.ts'

/** Words that need a zero-width joiner or non-joiner between two letters: Persian, Hindi, Sinhala. */
const JOINED = ['می\u200Cخواهم', 'नुक़्\u200Dता', 'ශ්\u200Dරී']

t.test('returns visible text unchanged, in one part', async (t) => {
  for (const text of ['', 'plain', 'Grüße, 世界', 'two\nlines\tand a tab', 'é ṩ', '👨‍👩‍👧 ❤️ 👍🏽 1️⃣', 'a b', ...JOINED])
    t.same(toVisibleParts(text), [text], JSON.stringify(text))
})

t.test('names invisible and misleading characters', async (t) => {
  for (const [text, shown] of [
    ['a\u0000b', 'a⟨NUL⟩b'],
    ['\u001b[31mred\u001b[0m', '⟨ESC⟩[31mred⟨ESC⟩[0m'],
    ['txt.\u202Egnp.exe', 'txt.⟨U+202E⟩gnp.exe'],
    ['\u2066x\u2069', '⟨U+2066⟩x⟨U+2069⟩'],
    ['pass\u200Bword\u2060', 'pass⟨U+200B⟩word⟨U+2060⟩'],
    ['\uFEFFx\u00AD', '⟨U+FEFF⟩x⟨U+00AD⟩'],
    ['a\u007F\u0085', 'a⟨DEL⟩⟨U+0085⟩'],
    ['a\rb', 'a⟨CR⟩b'],
    ['one\r\ntwo', 'one\ntwo'],
    ['\u2028', '⟨U+2028⟩'],
    ['half \uD83D', 'half ⟨U+D83D⟩'],
    ['a\u200Db', 'a⟨U+200D⟩b'],
    ['می\u200C', 'می⟨U+200C⟩'],
    ['\u200Cمی', '⟨U+200C⟩می'],
    ['می\u200Ca', 'می⟨U+200C⟩a'],
    ['\u{E0041}', '⟨U+E0041⟩'],
    ['\uE000', '⟨U+E000⟩']
  ] as const)
    t.equal(toVisibleText(text), shown)
})

t.test('shows at most four combining marks on a letter', async (t) => {
  t.equal(toVisibleText(`Z${'\u0301'.repeat(500)}!`), `Z${'\u0301'.repeat(4)}!`)
})

t.test('cuts a long text, and never within a character', async (t) => {
  t.equal(clip('short', 5), 'short')
  t.equal(clip('longer', 5), 'long…')
  t.equal(clip('ab👨c', 4), 'ab…')
  t.ok(clip('👨'.repeat(100), 51).isWellFormed())
})
