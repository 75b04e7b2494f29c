import t, { type Test } from 'tap'
import { setWallClock } from '@hull/test-helpers/wall-clock.ts'
import { createMailServer, NOON, openAlerts } from '../helpers/alerts.ts'

/**
 * Opens an inbox with people who have mail addresses, and an issue. Changes by people have the time of the machine, so
 * the clock of the alerts is set to it.
 */
async function openTeam(t: Test) {
  const { mails, mail, refuse } = await createMailServer(t)
  const alerts = await openAlerts(t, { mail })
  const { store, inbox, fail, pass, turn } = alerts
  pass(Date.now() - NOON)
  const add = async (name: string, role = 'member') => {
    const id = store.insert('INSERT INTO person (name, role, created) VALUES (?, ?, 1)', name, role)
    await setMail(id, `${name.split(' ')[0]!.toLowerCase()}@shop.example`)
    return id
  }
  const setMail = async (person: number, address: string) => {
    await inbox.changes.setOwnMail({ person, address, now: Date.now() })
    await turn(5_000)
    const [, code] = /^Subject: (\S+) is your code/m.exec(mails.pop()!)!
    await inbox.changes.confirmOwnMail({ person, code: code! })
  }
  const [ada, bea, cleo] = [await add('Ada Moreau'), await add('Bea'), await add('Cleo')]
  fail('TypeError')
  return {
    ...alerts,
    ada,
    bea,
    cleo,
    setMail,
    mails,
    refuse,
    comment: (who: number, text: string) => inbox.changes.addComment({ issue: 1, text, who }),
    /** Receivers and subjects of the mails since the last call. */
    async sent() {
      for (let i = 0; i < 3; i++) await turn(5_000)
      return mails
        .splice(0)
        .map((text) => [/^To: (\w+)@/m.exec(text)?.[1], /^Subject: (.*)$/m.exec(text)?.[1]].join(': '))
        .sort()
    }
  }
}

t.test('followers receive mails about changes by others, and none about their own', async (t) => {
  const { inbox, ada, bea, comment, sent, mails, turn, fail } = await openTeam(t)
  await inbox.changes.followIssue({ issue: 1, who: bea })
  await comment(ada, 'It is **the cache**.\nLook')
  for (let i = 0; i < 3; i++) await turn(5_000)
  t.match(mails[0], 'It is **the cache**.')
  t.match(mails[0], /<blockquote[^>]*>It is \*\*the cache/)
  t.match(mails[0], 'References: <issue-1.1@shop.example>')
  t.match(mails[0], 'List-Unsubscribe-Post: List-Unsubscribe=One-Click')
  t.same(await sent(), ['bea: [This application] Ada Moreau commented: TypeError: it is broken'])
  await inbox.changes.resolveIssues({ issues: [{ id: 1 }], who: bea })
  t.same(
    await sent(),
    ['ada: [This application] Bea resolved: TypeError: it is broken'],
    'the author of a comment follows the issue'
  )
  fail('TypeError')
  t.same(await sent(), [
    'ada: [This application] Regressed: TypeError: it is broken',
    'bea: [This application] Regressed: TypeError: it is broken'
  ])
  await inbox.changes.unfollowIssue({ issue: 1, who: ada })
  await inbox.changes.ignoreIssues({ issues: [{ id: 1 }], who: bea })
  t.same(await sent(), [])
})

t.test('a wall clock that is ahead does not delay a mail', async (t) => {
  const { inbox, store, ada, bea, comment, now, sent } = await openTeam(t)
  await inbox.changes.followIssue({ issue: 1, who: bea })
  await t.test('while the clock is ahead', async (t) => {
    setWallClock(t, 3_600_000)
    await comment(ada, 'One')
  })
  const { opened } = store.get<{ opened: number }>('SELECT opened FROM alert_draft')!
  t.ok(opened <= now(), 'the time of the alert loop')
  t.same((await sent()).length, 1)
})

t.test('assignees and mentioned people follow, and changes at nearly the same time are one mail', async (t) => {
  const { inbox, store, ada, bea, cleo, comment, sent } = await openTeam(t)
  await inbox.changes.assignIssues({ issues: [{ id: 1 }], assignee: bea, who: ada })
  t.same(await sent(), ['bea: [This application] Ada Moreau assigned to Bea: TypeError: it is broken'])
  await comment(bea, '@ada moreau and @Beata, but not x@Cleo')
  t.same(await sent(), ['ada: [This application] Bea mentioned you: TypeError: it is broken'])
  const namesake = store.insert("INSERT INTO person (name, role, created) VALUES ('Ada', 'member', 1)")
  await comment(bea, '@Ada Moreau')
  const isFollowing = () => store.get('SELECT 1 FROM issue_follower WHERE person = ?', namesake) !== undefined
  t.notOk(isFollowing(), 'a part of a name is no mention')
  await comment(bea, '@Ada Moreau, @Ada')
  t.ok(isFollowing())
  await sent()
  await comment(cleo, 'One')
  await comment(cleo, 'Two')
  t.same(await sent(), ['ada: [This application] 2 comments', 'bea: [This application] 2 comments'])
})

t.test('an edited comment is sent only to the people whom the edit mentions for the first time', async (t) => {
  const { inbox, ada, cleo, comment, sent } = await openTeam(t)
  await inbox.changes.followIssue({ issue: 1, who: cleo })
  const id = await comment(ada, 'See the log, @Cleo')
  await sent()
  const change = (text: string) => inbox.changes.changeComment({ issue: 1, comment: id, text, who: ada })
  await change('See the log, @Cleo, or the trace')
  t.same(await sent(), [])
  await change('See the log, @Cleo and @Bea, says @Ada Moreau')
  t.same(await sent(), ['bea: [This application] Ada Moreau mentioned you: TypeError: it is broken'])
  await inbox.changes.resolveIssues({ issues: [{ id: 1 }], who: ada })
  t.same((await sent()).length, 2, 'mentioned people follow')
})

t.test('only people who can read the project, and are not removed, receive mails', async (t) => {
  const { inbox, store, ada, bea, cleo, comment, sent } = await openTeam(t)
  for (const who of [bea, cleo]) await inbox.changes.followIssue({ issue: 1, who })
  await comment(ada, 'One')
  await inbox.changes.setRoles({ id: bea, role: 'none', by: ada })
  t.same(
    await sent(),
    ['cleo: [This application] Ada Moreau commented: TypeError: it is broken'],
    'even if the role was removed immediately before the mail'
  )
  await comment(ada, '@Bea')
  t.same((await sent()).length, 1)
  await inbox.changes.removePerson({ id: cleo, by: ada })
  await comment(ada, '@Cleo')
  t.same(await sent(), [])
  t.same(store.all('SELECT person FROM issue_follower WHERE person = ?', cleo), [])
  t.same(await inbox.queries.listChannels(), [], 'own channels are not listed with those of the team')
  t.same(await inbox.queries.listDeliveries({}), [])
})

t.test('the link in a mail stops all mails to its person, and saving the address resumes them', async (t) => {
  const { inbox, ada, bea, comment, mails, turn, sent, setMail } = await openTeam(t)
  await inbox.changes.followIssue({ issue: 1, who: bea })
  await comment(ada, 'One')
  for (let i = 0; i < 3; i++) await turn(5_000)
  const link = new URL(/^List-Unsubscribe: <(.*)>$/m.exec(mails[0]!)![1]!)
  const token = { id: Number(link.searchParams.get('channel')), token: link.searchParams.get('token')! }
  t.match(await inbox.queries.findUnsubscribed(token), { name: 'Issues that you follow', isOwn: true, isPaused: false })
  await inbox.changes.unsubscribe({ ...token, now: 1 })
  await comment(ada, 'Two')
  t.equal((await sent()).length, 1, 'only the mail from before')
  t.match(await inbox.queries.findOwnMail({ person: bea }), { isPaused: true })
  await setMail(bea, 'other@shop.example')
  await comment(ada, 'Three')
  t.match(await sent(), [/^other: /])
  t.equal(await inbox.queries.findUnsubscribed(token), undefined, 'the link is not valid for the new address')
  await inbox.changes.setOwnMail({ person: bea, address: '', now: 1 })
  t.equal(await inbox.queries.findOwnMail({ person: bea }), undefined)
  for (const address of ['x', 'a@b.example, c@d.example', 'a@b.example\nBcc: c@d.example'])
    await t.rejects(inbox.changes.setOwnMail({ person: bea, address, now: 1 }), { code: 'APP_INBOX_MAIL_INVALID' })
})

t.test('only a code is sent to an address until the code is entered', async (t) => {
  const { inbox, ada, bea, comment, mails, turn, sent } = await openTeam(t)
  const { setOwnMail, confirmOwnMail } = inbox.changes
  await inbox.changes.followIssue({ issue: 1, who: bea })
  await comment(ada, 'To the old address')
  await setOwnMail({ person: bea, address: 'new@shop.example', now: Date.now(), baseUrl: 'https://shop.example' })
  await comment(ada, 'To nobody')
  for (let i = 0; i < 3; i++) await turn(5_000)
  t.equal(mails.length, 1, 'a comment that waited for the old address is not sent to the new one')
  const [mail] = mails.splice(0)
  t.match(mail, /^To: new@shop\.example$/m)
  const [, code] = /^Subject: ([\dA-Z]{5}-[\dA-Z]{5}) is your code/m.exec(mail!)!
  t.match(mail, 'https://shop.example/inbox/account')
  t.match(await inbox.queries.findOwnMail({ person: bea }), { isConfirmed: false })

  await t.rejects(confirmOwnMail({ person: bea, code: `${code}2` }), { code: 'APP_INBOX_MAIL_CODE_WRONG' })
  await t.rejects(confirmOwnMail({ person: bea, code: '' }), { code: 'APP_INBOX_MAIL_CODE_WRONG' })
  await setOwnMail({ person: bea, address: 'new@shop.example', now: Date.now() })
  await t.rejects(confirmOwnMail({ person: bea, code: code! }), { code: 'APP_INBOX_MAIL_CODE_WRONG' }, 'an older code')
  await turn(5_000)
  const [, newer] = /^Subject: (\S+) is your code/m.exec(mails.pop()!)!
  await confirmOwnMail({ person: bea, code: ` ${newer!.toLowerCase().replace('-', '')}` })
  t.match(await inbox.queries.findOwnMail({ person: bea }), { isConfirmed: true })
  await comment(ada, 'To the new address')
  t.match(await sent(), [/^new: /])
  await setOwnMail({ person: bea, address: 'new@shop.example', now: Date.now() })
  t.match(await inbox.queries.findOwnMail({ person: bea }), { isConfirmed: true }, 'the same address stays confirmed')
})

t.test('a mail is sent again after the server refused it, and the account shows the reason', async (t) => {
  const { inbox, ada, bea, comment, refuse, sent } = await openTeam(t)
  await inbox.changes.followIssue({ issue: 1, who: bea })
  refuse(true)
  await comment(ada, 'One')
  t.same(await sent(), [])
  t.match(await inbox.queries.findOwnMail({ person: bea }), { error: /answered: 550 no such mailbox/ })
  refuse(false)
  for (let i = 0; i < 8 && (await inbox.queries.findOwnMail({ person: bea }))?.error; i++) await sent()
  t.notOk((await inbox.queries.findOwnMail({ person: bea }))?.error)
})

t.test('a mail that waits for another attempt is not sent to a person who has lost the project', async (t) => {
  const { inbox, ada, bea, comment, refuse, sent } = await openTeam(t)
  await inbox.changes.followIssue({ issue: 1, who: bea })
  refuse(true)
  await comment(ada, 'One')
  t.same(await sent(), [])
  await inbox.changes.setRoles({ id: bea, role: 'none', by: ada })
  refuse(false)
  for (let i = 0; i < 8; i++) t.same(await sent(), [])
  await inbox.changes.setRoles({ id: bea, role: 'member', by: ada })
  await comment(ada, 'Two')
  t.same(await sent(), ['bea: [This application] Ada Moreau commented: TypeError: it is broken'])
})

t.test('a waiting mail has the text of the comment at the time of sending, and no deleted comment', async (t) => {
  const { inbox, ada, bea, comment, refuse, mails, sent, turn } = await openTeam(t)
  await inbox.changes.followIssue({ issue: 1, who: bea })
  refuse(true)
  const first = await comment(ada, 'Its password is hunter2')
  t.same(await sent(), [])
  const second = await comment(ada, 'Its password is hunter2 as well')
  await inbox.changes.removeComment({ issue: 1, comment: first, who: ada })
  await inbox.changes.changeComment({ issue: 1, comment: second, who: ada, text: 'I know its password' })
  refuse(false)
  for (let i = 0; i < 40 && mails.length === 0; i++) await turn(5_000)
  t.equal(mails.length, 1)
  t.match(mails[0], 'I know its password')
  t.notMatch(mails[0], 'hunter2')
  await inbox.changes.removeComment({ issue: 1, comment: await comment(ada, 'hunter2'), who: ada })
  mails.splice(0)
  t.same(await sent(), [])
})

t.test('a merge moves the followers to the remaining issue, and deleting an issue deletes its followers', async (t) => {
  const { inbox, store, ada, bea, fail } = await openTeam(t)
  fail('RangeError')
  await inbox.changes.followIssue({ issue: 2, who: bea })
  await inbox.changes.mergeIssues({ issues: [{ id: 2 }], into: 1, who: ada })
  t.same(store.all('SELECT person FROM issue_follower WHERE issue = 1'), [{ person: bea }])
  await inbox.changes.deleteIssues({ issues: [{ id: 1 }], who: ada })
  t.same(store.all('SELECT * FROM issue_follower'), [])
})

t.test('followers of an issue also follow the issue that is split off', async (t) => {
  const { inbox, store, ada, bea, cleo, fail, sent } = await openTeam(t)
  fail('RangeError')
  await inbox.changes.followIssue({ issue: 2, who: bea })
  await inbox.changes.assignIssues({ issues: [{ id: 2 }], assignee: cleo, who: ada })
  await inbox.changes.mergeIssues({ issues: [{ id: 2 }], into: 1, who: ada })
  const { key } = store.get<{ key: number }>('SELECT id AS key FROM issue_key WHERE merged_from = 2')!
  await inbox.changes.unmergeKey({ issue: 1, key, who: ada })
  await sent()
  await inbox.changes.resolveIssues({ issues: [{ id: 2 }], who: ada })
  t.same(await sent(), [
    'bea: [This application] Ada Moreau resolved: RangeError: it is broken',
    'cleo: [This application] Ada Moreau resolved: RangeError: it is broken'
  ])
})

t.test('followers receive mails about the state that an undone change restored', async (t) => {
  const { inbox, ada, bea, cleo, sent } = await openTeam(t)
  const issues = [{ id: 1 }]
  await inbox.changes.followIssue({ issue: 1, who: bea })
  const resolved = await inbox.changes.resolveIssues({ issues, who: ada })
  t.same(await sent(), ['bea: [This application] Ada Moreau resolved: TypeError: it is broken'])
  await inbox.changes.undo({ activities: resolved.undo, who: ada })
  t.same(await sent(), ['bea: [This application] Ada Moreau reopened: TypeError: it is broken'])
  await inbox.changes.assignIssues({ issues, assignee: bea, who: ada })
  const assigned = await inbox.changes.assignIssues({ issues, assignee: cleo, who: ada })
  await sent()
  await inbox.changes.undo({ activities: assigned.undo, who: ada })
  t.same(await sent(), [
    'bea: [This application] Ada Moreau assigned to Bea: TypeError: it is broken',
    'cleo: [This application] Ada Moreau assigned to Bea: TypeError: it is broken'
  ])
})
