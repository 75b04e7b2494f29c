// The patterns look for control characters.
/* eslint-disable no-control-regex */
import t from 'tap'
import { stored } from '@hull/test-helpers/inbox.ts'
import { createRawEvent } from '../../helpers/writer.ts'
import { issueIn, openScreens, sendItems } from '../../helpers/screens.ts'

const LONG = 'L'.repeat(10_000)

/** Texts that an attacker writes into every field, with the parts that must not appear unescaped. */
const HOSTILE: [name: string, text: string, never: RegExp][] = [
  ['HTML', '"><img src=x onerror=alert(1)></script><script>alert(2)</script>', /<img src=x|<script>alert/],
  ['script URLs', 'javascript:alert(document.domain)', /(href|src|action)="javascript:/i],
  ['ANSI', '\u001b[31mred\u001b[0m\u0007', /(?![\n\t])\p{Cc}/u],
  ['another direction', '\u202Egnp.exe\u202C \u2066x\u2069', /[\u202A-\u202E\u2066-\u2069]/],
  ['characters without width', 'pass\u200Bword\uFEFF\u2060\u00AD', /[\u200B\uFEFF\u2060\u00AD]/],
  ['10,000 characters', LONG, /never/],
  ['marks piled up', `Z${'\u0301'.repeat(400)}`, /\u0301{5}/],
  ['halves of pairs and NUL', '\uD800 \uDFFF \u0000', /(?![\n\t])\p{Cc}/u],
  ['the payload of the page', '</script><!--<script>\u2028__proto__', /<!--<script>/]
]

/** An event with this text in every possible field. */
const eventOf = (text: string) =>
  createRawEvent({
    message: text,
    transaction: text,
    release: text,
    environment: text,
    server_name: text,
    logger: text,
    exception: {
      values: [
        {
          type: text,
          value: text,
          mechanism: { type: text, handled: false },
          stacktrace: {
            frames: [
              {
                filename: text,
                function: text,
                module: text,
                lineno: 3,
                colno: 2,
                in_app: true,
                pre_context: [text, text],
                context_line: text,
                post_context: [text]
              },
              { filename: `node_modules/${text}`, function: text, in_app: false }
            ]
          }
        }
      ]
    },
    breadcrumbs: [
      { timestamp: 1, type: text, category: text, message: text, level: text, data: { [text]: text, url: text } },
      { timestamp: 2, category: 'navigation', data: { from: text, to: text } },
      { timestamp: 3, category: 'fetch', data: { method: text, url: text, status_code: text } }
    ],
    request: {
      method: text,
      url: text,
      query_string: text,
      headers: { [text]: text },
      cookies: { [text]: text },
      data: text
    },
    user: { id: text, username: text, email: text },
    tags: { [text]: text, colour: text },
    contexts: { [text]: { [text]: text }, device: { family: text } },
    extra: { [text]: text },
    fingerprint: [text],
    sdk: { name: text, version: text }
  })

t.test('shows everything in an event as text', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  for (const [i, [name, text, never]] of HOSTILE.entries()) {
    t.test(name, async (t) => {
      const event = eventOf(text)
      await sendItems(app, [
        [{ type: 'event' }, event],
        [
          { type: 'attachment', filename: text.slice(0, 1_000), content_type: text.slice(0, 1_000) },
          text.toWellFormed()
        ],
        [
          { type: 'feedback' },
          {
            event_id: 'f'.repeat(31) + i,
            timestamp: 1,
            contexts: {
              feedback: { message: text, name: text, contact_email: text, associated_event_id: event.event_id }
            }
          }
        ]
      ])
      await stored(app, 'event', i + 1)
      const list = await admin.get('/inbox/issues')
      t.equal(list.statusCode, 200)
      const { issues } = await app.inbox!.queries.listIssues({
        view: { since: 0, until: Date.now() + 1e6 },
        sort: 'first'
      })
      t.equal(issues.length, i + 1)
      const id = issueIn(list.body)
      const release = encodeURIComponent(text.toWellFormed().slice(0, 200))
      for (const path of [
        '/inbox',
        '/inbox/issues',
        `/inbox/issues?q=${encodeURIComponent(text.toWellFormed().slice(0, 600))}`,
        `/inbox?release=${release}&environment=${release}`,
        `/inbox/issues/${id}`,
        `/inbox/issues/${issues[0]!.id}`,
        '/inbox/releases',
        '/inbox/traces'
      ]) {
        const { statusCode, body } = await admin.get(path, { accept: 'text/html' })
        t.equal(statusCode, 200, path.slice(0, 80))
        // Without the data of the page and the hidden fields of forms, which are not shown.
        const shown = body.replace(/<script type="application\/json".*?<\/script>|<input type="hidden"[^>]*>/gs, '')
        t.equal(never.exec(shown)?.[0], undefined, `${path.slice(0, 40)} does not show it`)
        t.notMatch(shown, / style=| on\w+="/)
      }
      const markdown = await admin.get(`/inbox/issues/${issues[0]!.id}/markdown`)
      t.equal(markdown.statusCode, 200)
      t.notMatch(markdown.body, /(?![\n\t])[\p{Cc}\u202A-\u202E\u200B]/u)
      t.equal((await admin.get(`/inbox/issues/${issues[0]!.id}/payload`)).statusCode, 200)
    })
  }
})

t.test('a list stays small, however long its texts are', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  await sendItems(app, [[{ type: 'event' }, eventOf(LONG)]])
  await stored(app, 'event')
  const { body } = await admin.get('/inbox/issues')
  t.ok(body.length < 40_000, `${body.length} characters`)
})
