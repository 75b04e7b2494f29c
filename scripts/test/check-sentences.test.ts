import t from 'tap'
import { findSign, readProse, readScript, readSettings, readStyles } from '../check-sentences.js'

const BAD = [
  'What is past the limit is cut.',
  'It is cut. What is past the limit is lost',
  'Whoever signs in sees it.',
  'Whose envelope it is',
  'That which was sent',
  'The list is read anew.',
  'The header by which it is known',
  'The spool lets go of it.',
  'It is for letting go of rows.',
  'This link is over',
  'The error stands in the log.',
  'The log tells why.',
  'It asks in vain.',
  'The project cannot be so: %s',
  'The place whence it came',
  'Who was signed out gets a link.',
  'It is for whoever asks.',
  'The client is told the code.',
  'What comes is stored, and what waits goes first',
  'The shell knows nothing of it.',
  'No cookie goes along.',
  'Mend the service.',
  'The clock is put right.',
  'It waits for ever.',
  'Past 64 MiB it is refused.',
  'It takes some 400 bytes.',
  'The file lies beside it.'
]

const PLAIN = [
  'What happened?',
  'See what broke',
  'The link has expired or was already used.',
  'The figures are counted again.',
  'CPU time stands for the load.',
  'The value is over 9,999.',
  'The server goes on. Errors are stored.',
  'Who can sign in?',
  'It recommends what to do in some cases.',
  'The past week',
  'Set it beside the other setting.'
]

t.test('finds every sign, and accepts plain sentences', async (t) => {
  for (const text of BAD) t.type(findSign(text), 'string', text)
  for (const text of PLAIN) t.equal(findSign(text), undefined, text)
})

t.test('reads the texts of a screen, with their line numbers', async (t) => {
  const code = `import 'an import is no text'
const label = 'First label'
export const Page = () => (
  <p className="a list of classes" title="Second title">
    Third text
    over two lines {\`and \${label} fourth\`}
  </p>
)`
  t.same(readScript('page.tsx', code), [
    { line: 2, text: 'First label' },
    { line: 4, text: 'Second title' },
    { line: 4, text: 'Third text over two lines' },
    { line: 6, text: 'and … fourth' }
  ])
})

t.test('reads comments, and the titles and messages of tests', async (t) => {
  const code = `/**
 * First comment
 * in two lines.
 */
t.test('second title', async (t) => {
  // Third comment.
  t.equal(one, 'no message', 'fourth message')
  t.ok(two, \`fifth \${two} message\`)
})`
  t.same(readScript('some.test.ts', code, false), [
    { line: 1, text: 'First comment in two lines.' },
    { line: 5, text: 'second title' },
    { line: 6, text: 'Third comment.' },
    { line: 7, text: 'fourth message' },
    { line: 8, text: 'fifth … message' }
  ])
})

t.test('reads only messages of errors and log lines in other files', async (t) => {
  const code = `db.run('SELECT one FROM table')
log.warn({ why: 'first field' }, 'second message')
app.log.error('third message')
throw new TypeError(\`fourth \${db} message\`)
const other = 'no message at all'`
  t.same(
    readScript('code.ts', code, false).map(({ text }) => text),
    ['first field', 'second message', 'third message', 'fourth … message']
  )
})

t.test('reads Markdown by line and table cell, without code', async (t) => {
  const source = [
    '# A title',
    '```ts',
    'const code = 1',
    '```',
    '| `name` | a cell |',
    '- An **item** with `code`.'
  ].join('\n')
  t.same(
    readProse(source).filter(({ text }) => text !== ''),
    [
      { line: 1, text: 'A title' },
      { line: 5, text: '`…`' },
      { line: 5, text: 'a cell' },
      { line: 6, text: 'An item with `…`.' }
    ]
  )
})

t.test('reads the comments of style sheets, settings and container files', async (t) => {
  const styles = `/* first comment */
.class {
  /*
   * second comment
   * in two lines
   */
  color: red;
}`
  t.same(readStyles(styles), [
    { line: 1, text: 'First comment' },
    { line: 3, text: 'Second comment in two lines' }
  ])
  const settings = `# First comment
# in two lines.
FROM node AS build
  # Second comment.
RUN build # no comment
`
  t.same(readSettings(settings), [
    { line: 1, text: 'First comment in two lines.' },
    { line: 4, text: 'Second comment.' }
  ])
})
