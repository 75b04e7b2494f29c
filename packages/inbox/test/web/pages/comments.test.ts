import t from 'tap'
import { acceptInvitation } from '../../helpers/invitation.ts'
import { issueIn, openScreens, sendEvents, thrown } from '../../helpers/screens.ts'

const { app, admin } = await openScreens(t, { isEmpty: true })
await sendEvents(app, [thrown('FirstError', 'one'), thrown('SecondError', 'two')])
const list = (await admin.get('/inbox/issues')).body
const id = Number(issueIn(list, 'FirstError'))
const page = `/inbox/issues/${id}`
const mia = await acceptInvitation(app, admin, 'member', 'Mia')
const newest = async () => (await app.inbox!.queries.listComments({ id })).comments[0]!
/**
 * Posts a comment.
 * @returns its HTML on the page
 */
async function show(text: string): Promise<string> {
  t.equal((await admin.post(page, { do: 'comment', text })).statusCode, 303)
  return /<div class="comment">(.*?)<\/div>/s.exec((await admin.get(page)).body)![1]!
}

t.test('Markdown in a comment is rendered', async (t) => {
  t.equal(
    await show('See **the log**:\nline `12`\n\n- one\n- two\n\n> quoted'),
    '<p>See <strong>the log</strong>:<br>\nline <code>12</code></p>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n<blockquote>\n<p>quoted</p>\n</blockquote>\n'
  )
  t.match(await show('```\n<b>\n```'), /<pre><code>&lt;b&gt;\n<\/code><\/pre>/)
  const rel = 'rel="nofollow noopener noreferrer"'
  t.match(await show('[log](https://a.example/?a=1&b=2)'), `<a href="https://a.example/?a=1&amp;b=2" ${rel}>log</a>`)
  t.match(await show('https://a.example/x and [mail](mailto:a@b.example)'), /<a href="https:.*<a href="mailto:/)
  t.match(await show(`[that](/inbox/issues/${id})`), `href="/inbox/issues/${id}"`)
  t.equal(
    await show('# not a heading'),
    '<p># not a heading</p>\n',
    'no heading, which would change the outline of the page'
  )
})

t.test('a comment cannot run scripts, load files or hide text', async (t) => {
  for (const text of [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<b onclick="alert(1)">x</b>',
    '![x](https://a.example/x.png)',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](//a.example/)',
    '[x](vbscript:x "a onmouseover=alert(1)")',
    '[x][1]\n\n[1]: javascript:alert(1)',
    '```"><script>alert(1)</script>\nx\n```',
    '<https://a.example/"onmouseover=alert(1)>'
  ]) {
    const html = await show(text)
    const tags = [...html.matchAll(/<(\w+)([^>]*)>/g)]
    for (const [tag, name, attributes] of tags) {
      t.match(name, /^(?:p|code|pre|a)$/, `${text}: ${tag}`)
      if (name === 'a')
        t.match(attributes, /^ href="https:\/\/a\.example\/[\w.%=()]*" rel="[a-z ]+"$/, `${text}: ${tag}`)
    }
  }
  t.match(await show('a\u202Eb'), '⟨U+202E⟩')
})

t.test('only the author changes and deletes a comment', async (t) => {
  await admin.post(page, { do: 'comment', text: 'Frist' })
  const { id: comment } = await newest()
  const post = (visitor: typeof admin, what: string, text = '', at = page) =>
    visitor.post(at, { do: what, comment, text })
  t.notMatch((await mia.get(page)).body, 'Change comment')
  t.equal((await post(mia, 'change-comment', 'Mine')).statusCode, 403)
  t.equal((await post(mia, 'remove-comment')).statusCode, 403)
  const refused = (await post(admin, 'change-comment', 'x'.repeat(10_001))).body
  t.match(refused, /class="field-error"[^>]*>A comment has 1 to 10000 characters\./)
  const [added, changed] = [...refused.matchAll(/<textarea[^>]*name="text"[^>]*>([^<]*)/g)].map(([, text]) => text)
  t.equal(added, '', 'the field for a new comment stays empty')
  t.equal(changed, 'x'.repeat(10_001))
  t.equal((await post(admin, 'change-comment', 'Other', `/inbox/issues/${id + 1}`)).statusCode, 422)
  t.match(await newest(), { text: 'Frist' })
  t.equal((await post(admin, 'change-comment', 'First')).headers.location, `${page}#activity`)
  const { body } = await admin.get(page)
  t.match(body, /commented \(edited\).*<p>First<\/p>/s)
  t.equal((await post(admin, 'remove-comment')).statusCode, 303)
  t.not((await newest()).id, comment)
  t.match((await post(admin, 'remove-comment')).body, 'This comment does not exist: it was deleted.')
})

t.test('a comment that is too long is refused', async (t) => {
  for (const [length, status] of [
    [10_001, 422],
    [2_000_000, 413]
  ] as const)
    t.equal((await admin.post(page, { do: 'comment', text: 'x'.repeat(length) })).statusCode, status)
})

t.test('a comment can be as long as its field allows, which counts a line break as one character', async (t) => {
  const text = `${'line\n'.repeat(1_999)}lines`
  t.equal(text.length, 10_000)
  const sent = await admin.post(page, { do: 'comment', text: text.replaceAll('\n', '\r\n') })
  t.equal(sent.statusCode, 303)
  t.equal((await newest()).text, text)
})

t.test('many comments with any content do not make the page too long', async (t) => {
  const wide = `${'|a'.repeat(60)}|\n${'|-'.repeat(60)}|\n${'|\n'.repeat(4_000)}`
  t.match(await show(wide), /^<p>\|a\|a/, 'no table, because each missing cell would be HTML')
  t.match(await show('> \n\n'.repeat(2_500)), /^<pre>&gt; \n/, 'plain text, because its HTML would be too long')
  for (let i = 0; i < 90; i++) await admin.post(page, { do: 'comment', text: `${i} ${'<'.repeat(9_990)}` })
  const { statusCode, body } = await admin.get(page)
  t.equal(statusCode, 200)
  t.match(body, /(?:<p>|<pre>)89 &lt;/)
  t.match(body, 'Older entries are not shown.')
})
