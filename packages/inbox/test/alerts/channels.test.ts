import MarkdownIt from 'markdown-it'
import t from 'tap'
import { isPublic } from '../../src/alerts/http-target.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { createEndlessMailServer, createMailServer, openAlerts } from '../helpers/alerts.ts'

const MINUTE = 60_000
const HOSTILE = '<!channel> @everyone *x* [y](https://evil.example)'

const headerOf = (mail: string, name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(mail)?.[1]

t.test('Slack and Discord receive messages in their formats, and titles mention nobody', async (t) => {
  const { addChannel, addRule, fail, turn, receiver } = await openAlerts(t)
  await addRule(await addChannel({ kind: 'slack' }))
  await addRule(await addChannel({ kind: 'discord' }))
  fail(HOSTILE)
  await turn()
  await turn()
  const bodies = receiver.requests.map(({ body }) => JSON.parse(body) as { text?: string; content?: string })
  const slack = bodies.find(({ text }) => text !== undefined)!.text!
  t.match(slack, '&lt;!channel&gt;')
  t.notMatch(slack, '<!channel>')
  t.notMatch(slack, /@everyone|\]\(|https:\/\/evil/, 'also not in Mattermost')
  t.match(slack, '<https://inbox.example/inbox/issues/1|New issue: ')
  const discord = bodies.find(({ content }) => content !== undefined)!
  t.match(discord, { allowed_mentions: { parse: [] } })
  t.match(discord.content, String.raw`\@everyone`)
  t.match(discord.content, String.raw`\[y\]\(https\:`)
  t.match(discord.content, '](<https://inbox.example/inbox/issues/1>)')
})

t.test('Microsoft Teams receives a card whose texts are no Markdown', async (t) => {
  const { addChannel, addRule, fail, turn, receiver } = await openAlerts(t)
  await addRule(await addChannel({ kind: 'teams' }))
  const names = Array.from({ length: 12 }, (_, index) => `Error${index}`)
  for (const name of [HOSTILE, ...names]) fail(name)
  await turn()
  await turn()
  const { type, attachments } = JSON.parse(receiver.requests[0]!.body)
  t.equal(type, 'message')
  t.match(attachments, [{ contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard' } }])
  const { body, actions } = attachments[0].content
  const lines = body.map(({ type, inlines }: { type: string; inlines: object[] }) => {
    t.equal(type, 'RichTextBlock', 'its texts are shown as they are')
    return inlines[0]
  })
  t.match(lines[0], { type: 'TextRun', text: '[This application] 13 new issues', weight: 'Bolder' })
  t.match(lines[1], {
    text: `New issue: ${HOSTILE}: it is broken`,
    selectAction: { type: 'Action.OpenUrl', url: 'https://inbox.example/inbox/issues/1' }
  })
  t.match(lines.at(-1), { text: 'and 3 more' })
  t.match(actions, [{ type: 'Action.OpenUrl', title: 'All issues', url: /\/inbox\/issues\?project=1$/ }])
})

t.test(
  'a title with a backslash at its end, or a bracket without its pair, has a link, also in Mattermost',
  async (t) => {
    const { addChannel, addRule, fail, turn, receiver } = await openAlerts(t)
    await addRule(await addChannel({ kind: 'slack' }))
    await addRule(await addChannel({ kind: 'discord' }))
    const values = ['C:\\temp\\', 'Unexpected token ] in JSON', 'cart[0 is not set', 'cart[items[0]] is not set']
    for (const [index, value] of values.entries())
      fail(`Error${index}`, { exception: { values: [{ type: `Error${index}`, value }] } })
    await turn()
    await turn()
    const bodies = receiver.requests.map(({ body }) => JSON.parse(body) as { text?: string; content?: string })
    const { text } = bodies.find(({ text }) => text !== undefined)!
    const { content } = bodies.find(({ content }) => content !== undefined)!
    // Mattermost converts Slack's links to Markdown.
    const markdown = text!.replace(/<([^<|>]+)\|([^>]*)>/g, '[$2]($1)')
    for (const html of [markdown, content!].map((source) => new MarkdownIt().render(source)))
      for (const [index] of values.entries())
        t.match(html, `<a href="https://inbox.example/inbox/issues/${index + 1}">`)
    t.notMatch(new MarkdownIt().render(markdown), '[New issue', 'no link has lost its beginning')
    t.match(text, '/inbox/issues/4|New issue: Error3: cart[items[0]] is not set>')
  }
)

t.test('invisible characters of a title are shown by their code, as on the pages, and break no line', async (t) => {
  const { addChannel, addRule, fail, turn, receiver } = await openAlerts(t)
  await addRule(await addChannel({ kind: 'slack', groupMinutes: 0 }))
  fail('Turned\u202Egnp.exe\u2028[Shop] All is well\u200B \u{1F468}\u200D\u{1F469}')
  await turn()
  await turn()
  const { text } = JSON.parse(receiver.requests[0]!.body) as { text: string }
  t.match(text, 'Turned⟨U+202E⟩gnp.exe⟨U+2028⟩[Shop] All is well⟨U+200B⟩ \u{1F468}\u200D\u{1F469}')
  t.notMatch(text, /[\u202E\u2028]/)
})

t.test('a long message leaves out the changes that would exceed the limit of Discord', async (t) => {
  const { addChannel, addRule, fail, turn, receiver } = await openAlerts(t)
  await addRule(await addChannel({ kind: 'discord' }))
  for (let i = 0; i < 15; i++) fail(`${i}${'*'.repeat(400)}`)
  await turn()
  await turn()
  const { content } = JSON.parse(receiver.requests[0]!.body) as { content: string }
  t.ok(content.length > 1_000 && content.length <= 2_000, `${content.length} characters`)
  t.match(content, /\nand \d+ more\n\[All issues\]\(<https:\/\/inbox\.example\/inbox\/issues[^>]*>\)$/)
})

t.test('the id of a mail has the domain of the sender, also if its name contains an @', async (t) => {
  const { mails, mail } = await createMailServer(t)
  const { addChannel, addRule, fail, turn } = await openAlerts(t, {
    mail: { ...mail, from: '"Team @work" <inbox@shop.example>' }
  })
  await addRule(await addChannel({ kind: 'mail', target: 'team@shop.example', groupMinutes: 0 }))
  fail('A')
  await turn()
  await turn()
  t.match(headerOf(mails[0] ?? '', 'Message-ID'), /^<msg_[\da-f-]{36}@shop\.example>$/)
})

t.test('mails about an issue are a thread, with a text part and an unsubscribe link', async (t) => {
  const { mails, mail } = await createMailServer(t)
  const { addChannel, addRule, fail, turn, inbox, store, now } = await openAlerts(t, { mail })
  const channel = await addChannel({ kind: 'mail', target: 'team@shop.example', groupMinutes: 0 })
  await addRule(channel)
  await addRule(channel, 'regressed')
  fail('TypeError <b>')
  await turn()
  await turn()
  await inbox.changes.resolveIssues({ issues: [{ id: 1 }], who: 1 })
  fail('TypeError <b>')
  await turn()
  await turn()
  const [first = '', second = ''] = mails
  t.equal(headerOf(first, 'To'), 'team@shop.example')
  t.equal(headerOf(first, 'From'), 'Inbox <inbox@shop.example>')
  t.match(headerOf(first, 'Subject'), '[This application] New issue: TypeError <b>')
  t.match(headerOf(second, 'Subject'), 'Regressed: TypeError')
  t.match(first, 'Content-Type: text/plain')
  t.match(first, 'https://inbox.example/inbox/issues/1')
  t.match(first, 'TypeError &lt;b&gt;')
  t.equal(headerOf(first, 'References'), '<issue-1.1@shop.example>')
  t.equal(headerOf(second, 'References'), headerOf(first, 'References'))
  t.match(headerOf(first, 'Message-ID'), /^<msg_[\da-f-]{36}@shop\.example>$/)
  t.not(headerOf(first, 'Message-ID'), headerOf(second, 'Message-ID'))
  t.equal(headerOf(first, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click')

  t.test('the link works only with its token', async (t) => {
    const link = new URL(headerOf(first, 'List-Unsubscribe')!.slice(1, -1))
    t.equal(link.pathname, '/inbox/unsubscribe')
    const token = link.searchParams.get('token')!
    await inbox.changes.unsubscribe({ id: channel, token: `${token}x`, now: 1 })
    t.match(await inbox.queries.findUnsubscribed({ id: channel, token }), { name: 'Team', isPaused: false })
    t.equal(await inbox.queries.findUnsubscribed({ id: channel, token: '' }), undefined)
    await inbox.changes.unsubscribe({ id: channel, token, now: 1 })
    fail('B')
    await turn()
    await turn()
    t.equal(mails.length, 2)
    const { id } = (await inbox.queries.listDeliveries({}))[0]!
    store.run(`UPDATE alert_message SET state = 'dead' WHERE id = ?`, id)
    await inbox.changes.retryAlert({ id, now: now() })
    await turn()
    t.equal(mails.length, 2, 'not sent when it is tried again')
    t.match((await inbox.queries.listDeliveries({}))[0], { state: 'dead', error: /unsubscribed/ })
    await inbox.changes.resumeChannel({ id: channel })
    fail('C')
    await turn()
    await turn()
    t.equal(mails.length, 3)
  })
})

t.test('the link in a mail does not end the mails to another address that the channel has now', async (t) => {
  const { mails, mail } = await createMailServer(t)
  const { addChannel, addRule, fail, turn, inbox, now } = await openAlerts(t, { mail })
  const id = await addChannel({ kind: 'mail', target: 'former@shop.example', groupMinutes: 0 })
  await addRule(id)
  const values = { id, name: 'Team', groupMinutes: 0, quietFrom: '', quietUntil: '', zone: 'UTC' }
  fail('A')
  await turn()
  await turn()
  const tokenOf = (mail: string) => new URL(headerOf(mail, 'List-Unsubscribe')!.slice(1, -1)).searchParams.get('token')!
  const token = tokenOf(mails[0]!)
  await inbox.changes.changeChannel({ ...values, name: 'On call', target: 'former@shop.example', now: now() })
  t.ok(await inbox.queries.findUnsubscribed({ id, token }), 'a change of the name keeps it')
  await inbox.changes.changeChannel({ ...values, target: 'team@shop.example', now: now() })
  await inbox.changes.unsubscribe({ id, token, now: now() })
  fail('B')
  await turn()
  await turn()
  t.equal(headerOf(mails[1]!, 'To'), 'team@shop.example')
  t.ok(await inbox.queries.findUnsubscribed({ id, token: tokenOf(mails[1]!) }))
})

t.test('an encoded word in a title is not decoded in the subject of a mail', async (t) => {
  const { mails, mail } = await createMailServer(t)
  const { addChannel, addRule, fail, turn } = await openAlerts(t, { mail })
  await addRule(await addChannel({ kind: 'mail', target: 'team@shop.example', groupMinutes: 0 }))
  fail(`=?utf-8?B?${Buffer.from('turned\u202E').toString('base64')}?=`)
  await turn()
  await turn()
  t.equal(headerOf(mails[0]!, 'Subject'), '[This application] New issue: = ?utf-8?B?dHVybmVk4oCu?=: it is broken')
})

t.test('a mail that the server refuses is sent again, and the delivery log shows the answer', async (t) => {
  const { mails, mail, refuse, close } = await createMailServer(t)
  const { addChannel, addRule, fail, turn, inbox } = await openAlerts(t, { mail })
  await addRule(await addChannel({ kind: 'mail', target: 'team@shop.example', groupMinutes: 0 }))
  const log = async () => (await inbox.queries.listDeliveries({}))[0]!
  refuse(true)
  fail('A')
  await turn()
  await turn()
  t.match(await log(), { state: 'waiting', error: /^The mail server answered: 550 no such mailbox/ })
  refuse(false)
  await turn(MINUTE)
  t.match(await log(), { state: 'sent', attempts: 2 })
  t.equal(mails.length, 1)
  await close()
  fail('B')
  await turn()
  await turn()
  t.match(await log(), {
    state: 'waiting',
    error: /^The mail server cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:\d+\.$/
  })
})

t.test('a mail is sent once, even if its server needs some time to accept it', async (t) => {
  const { mails, mail, takeTime } = await createMailServer(t)
  const { addChannel, addRule, fail, turn, inbox } = await openAlerts(t, { mail })
  await addRule(await addChannel({ kind: 'mail', target: 'team@shop.example', groupMinutes: 0 }))
  takeTime(11_000)
  fail('A')
  await turn()
  await turn()
  t.match(await inbox.queries.listDeliveries({}), [{ state: 'sent', attempts: 1 }])
  t.equal(mails.length, 1)
})

t.test('closing the inbox ends the connection to a mail server whose response does not end', async (t) => {
  const { connections, mail } = await createEndlessMailServer(t)
  const { addChannel, addRule, fail, turn, loop } = await openAlerts(t, { mail })
  await addRule(await addChannel({ kind: 'mail', target: 'team@shop.example', groupMinutes: 0 }))
  fail('A')
  await turn()
  const sent = turn()
  await eventually(() => connections.size === 1)
  await loop.close()
  await eventually(() => connections.size === 0)
  await sent
})

t.test('without a mail server the delivery log says which settings are missing', async (t) => {
  const { addChannel, inbox, turn, now } = await openAlerts(t)
  const id = await addChannel({ kind: 'mail', target: 'team@shop.example' })
  await inbox.changes.testChannel({ id, now: now() })
  await turn()
  t.match((await inbox.queries.listDeliveries({}))[0], { error: /INBOX_SMTP_URL and INBOX_MAIL_FROM/ })
})

t.test('a mail address is one address without headers', async (t) => {
  const { addChannel } = await openAlerts(t)
  for (const target of [
    '',
    'x',
    'a@b, c@d.example',
    'a@b.example\nBcc: c@d.example',
    'Team <a@b.example>',
    'a@b;c',
    'a\0@b.example'
  ])
    await t.rejects(addChannel({ kind: 'mail', target }), { code: 'APP_INBOX_CHANNEL_INVALID' }, JSON.stringify(target))
})

t.test('special addresses are not public', async (t) => {
  const special = ['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0']
  const special6 = [
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::a00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::808:808',
    '2002:a00:1::',
    '3fff::1'
  ]
  for (const address of [...special, ...special6, '224.0.0.1', '255.255.255.255', '168.63.129.16'])
    t.notOk(isPublic(address), address)
  for (const address of ['8.8.8.8', '172.32.0.1', '2606:4700::1111', '64:ff9b::808:808'])
    t.ok(isPublic(address), address)
})
