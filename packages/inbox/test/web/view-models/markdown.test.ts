import t from 'tap'
import { toMarkdown } from '../../../src/web/view-models/markdown.ts'
import type { EventDetail } from '../../../src/store/model.ts'
import type { EventView } from '../../../src/queries/issues/event-types.ts'
import type { IssueDetail } from '../../../src/queries/issues/issue-types.ts'
import { createEvent, createException, createFrame } from '../../helpers/event.ts'

const HREF = 'https://shop.example/inbox/issues/7'

const issue = (over: Partial<IssueDetail> = {}): IssueDetail => ({
  id: 7,
  project: 1,
  type: 'TypeError',
  value: 'cart is undefined',
  culprit: 'client/cart.ts:sum',
  level: 'error',
  side: 'browser',
  state: 'unresolved',
  isNew: true,
  firstSeen: Date.UTC(2026, 10, 20, 9),
  lastSeen: Date.UTC(2026, 10, 21, 10),
  firstRelease: '1.4.1',
  events: 12,
  visitors: 3,
  eventsInRange: 0,
  points: [],
  version: 1,
  resolvedInNext: false,
  inOldRelease: 0,
  keys: [],
  hasMoreActivity: false,
  activity: [],
  ...over
})

const view = (detail?: Partial<EventDetail>): EventView => ({
  row: { id: 1, eventId: 'a'.repeat(32), at: 0, environment: '', hasPayload: detail !== undefined },
  ...(detail && { detail: createEvent(detail) }),
  attachments: [],
  feedback: []
})

t.test('uses the singular for one event and one visitor', async (t) => {
  t.match(toMarkdown(issue({ events: 1, visitors: 1 }), view(), HREF), '- State: unresolved; 1 event, 1 visitor\n')
})

t.test('leaves out the location if the issue has none', async (t) => {
  t.notMatch(toMarkdown(issue({ culprit: '' }), view(), HREF), 'Where')
})

t.test('does not say that the last event was in the newest release', async (t) => {
  const text = toMarkdown(issue({ lastRelease: '1.4.2' }), view(), HREF)
  t.match(text, '- Last seen: 2026-11-21 10:00:00 UTC; newest release `1.4.2`\n')
})

t.test('a stack can have many backquotes', async (t) => {
  const code = '` '.repeat(100)
  const frame = {
    file: 'a.ts',
    inApp: true,
    source: { before: Array(3).fill(code), line: code, after: Array(3).fill(code) }
  }
  const exceptions = Array(10).fill({ type: 'TypeError', value: 'x', frames: Array(50).fill(frame) })
  t.match(toMarkdown(issue(), view({ exceptions }), HREF), '## Stack\n\n```text\nTypeError: x\n')
})

t.test('describes an issue with its figures, its stack and the failing column', async (t) => {
  const frame = {
    file: 'client/cart.ts',
    function: 'sum',
    line: 2,
    column: 5,
    inApp: true,
    source: { before: ['function sum() {'], line: '    return cart.total', after: ['}'] }
  }
  const library = { file: 'node_modules/react-dom/x.js', inApp: false, package: 'react-dom' }
  const text = toMarkdown(
    issue(),
    view({
      exceptions: [{ type: 'TypeError', value: 'cart is undefined', frames: [frame, ...Array(5).fill(library)] }]
    }),
    HREF
  )
  t.match(text, `# TypeError: cart is undefined\n\n<https://shop.example/inbox/issues/7?event=${'a'.repeat(32)}>\n`)
  t.match(text, '- First seen: 2026-11-20 09:00:00 UTC in `1.4.1`')
  t.match(
    text,
    [
      '    at sum (client/cart.ts:2:5)',
      '        1 | function sum() {',
      '      > 2 |     return cart.total',
      '          |     ^',
      '        3 | }',
      '    … 5 frames in react-dom'
    ].join('\n')
  )
})

t.test('text of an event cannot break out of its Markdown element', async (t) => {
  const nasty = 'a```\n# not a heading <b>*x*</b> [link](javascript:1) \u202E\u001b[31m'
  const text = toMarkdown(
    issue({ type: nasty, value: nasty, culprit: nasty }),
    view({
      exceptions: [{ type: nasty, value: nasty, frames: [] }],
      breadcrumbs: [{ type: nasty, category: nasty, level: 'info', message: nasty, data: { [nasty]: nasty } }],
      tags: [[nasty, nasty]],
      request: { method: nasty, url: nasty, headers: [], cookies: [] }
    }),
    HREF
  )
  t.same(
    text
      .split('\n')
      .filter((line) => line.startsWith('#'))
      .map((line) => line.slice(0, 14)),
    ['# a\\`\\`\\` \\# n', '## Event', '## Stack', '## Breadcrumbs', '## Request', '## Tags']
  )
  t.equal(text.match(/^````/gm)!.length, 6, 'three fences, each longer than the backquotes in its text')
  t.notMatch(text, /(?!\n)[\p{Cc}\u202E]/u)
})

t.test('says that the payload or the events were not stored', async (t) => {
  t.match(toMarkdown(issue(), view(), HREF), 'The payload of this event was not stored.')
  const bare = toMarkdown(issue(), undefined, HREF)
  t.match(bare, '<https://shop.example/inbox/issues/7>\n')
  t.match(bare, 'The events of this issue were deleted to free space.')
})

t.test('has contexts, extra values and the variables of the innermost own frame for an assistant only', async (t) => {
  const variables = { cart: '`[]`', total: '0' }
  const frames = [createFrame({ inApp: false, variables: { x: '1' } }), createFrame({ variables })]
  const event = view({
    exceptions: [createException({ frames })],
    contexts: { order: { id: '7' } },
    extra: { attempt: '3', long: 'x'.repeat(1_000) }
  })
  const whole = toMarkdown(issue(), event, HREF, { isWhole: true })
  for (const text of [
    '## Local variables\n\n- cart: `` `[]` ``\n- total: `0`\n',
    '## Contexts\n\n- order.id: `7`\n',
    '## Extra\n\n- attempt: `3`\n- long: `xxx'
  ])
    t.match(whole, text)
  t.ok(whole.length < 2_500, 'long values are cut')
  t.notMatch(toMarkdown(issue(), event, HREF), /## (?:Local|Contexts|Extra)/, 'not to paste into a ticket')
})
