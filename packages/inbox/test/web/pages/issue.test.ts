import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { acceptInvitation } from '../../helpers/invitation.ts'
import { stored } from '@hull/test-helpers/inbox.ts'
import { createRawEvent } from '../../helpers/writer.ts'
import { issueIn, openScreens, sendEvents, sendItems, thrown } from '../../helpers/screens.ts'

t.test('a breadcrumb names the level of a warning or an error, which is no colour alone', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  const breadcrumbs = ['info', 'warning', 'error', 'fatal'].map((level) => ({
    category: 'console',
    level,
    message: `${level} line`
  }))
  await sendEvents(app, [{ ...thrown('One'), breadcrumbs: { values: breadcrumbs } }])
  const { body } = await admin.get(`/inbox/issues/${issueIn((await admin.get('/inbox/issues')).body)}`)
  const steps = [...body.matchAll(/<span class="step-what">(.*?)<\/li>/gs)].map(([, html]) =>
    html!.replace(/<[^>]*>/g, '')
  )
  t.same(steps.slice(0, 4), [
    'console info line',
    'console warning warning line',
    'console error error line',
    'console fatal fatal line'
  ])
})

t.test('the activity of an issue that was merged and restored says that it was the merged one', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  await sendEvents(app, [thrown('One'), thrown('Two')])
  const { undo } = await app.inbox!.changes.mergeIssues({ issues: [{ id: 2 }], into: 1, who: 1 })
  await app.inbox!.changes.undo({ activities: undo, who: 1 })
  const activityOf = async (id: number) =>
    /class="activity".*?<\/ol>/s.exec((await admin.get(`/inbox/issues/${id}`)).body)![0].replace(/<[^>]*>/g, ' ')
  t.match(await activityOf(2), /split this issue off another one.*merged\s+this issue into another one/s)
  t.match(await activityOf(1), /undid the last change.*merged\s+1 issue into this one/s)
})

t.test('the text that a program logged with an error is shown above the stack', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  await sendEvents(app, [
    { ...thrown('PayError', 'no answer'), logentry: { message: 'cannot pay order %s', params: ['A-12'] } },
    { ...thrown('ShipError', 'no truck'), message: 'no truck' }
  ])
  t.match((await admin.get('/inbox/issues/1')).body, /id="message"[^]*cannot pay order A-12[^]*id="stack"/)
  t.match((await admin.get('/inbox/issues/1/markdown')).body, '## Message\n\n```text\ncannot pay order A-12\n```\n')
  t.notMatch((await admin.get('/inbox/issues/2')).body, 'id="message"', 'not shown if it is the text of the error')
})

t.test('the visitor of an event links to the issues of this visitor, and is named in the list of events', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  const user = { email: 'ada@shop.example' }
  await sendEvents(app, [
    { ...thrown('PayError'), user },
    { ...thrown('ShipError'), user: { ...user, id: '7' } },
    { ...thrown('MailError'), user }
  ])
  const hrefOf = async (id: number) =>
    /href="(\/inbox\/issues\?q=user[^"]*)"/.exec((await admin.get(`/inbox/issues/${id}`)).body)![1]!
  const { body } = await admin.get(await hrefOf(1))
  for (const [type, isListed] of [
    ['PayError', true],
    ['ShipError', false],
    ['MailError', true]
  ] as const)
    t.equal(body.includes(type), isListed, type)
  t.match(decodeURIComponent(await hrefOf(2)), 'q=user:7')
  t.match((await admin.get('/inbox/issues/1/events')).body, /<td[^>]*><bdi>ada@shop\.example/)
})

t.test('the errors of an aggregate error are not shown as its cause', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  const chained = (id: number, source: string) => ({ type: 'chained', exception_id: id, parent_id: 0, source })
  // As @sentry/node sends a rejected `Promise.any`.
  const values = [
    { type: 'RangeError', value: 'second', mechanism: chained(2, 'errors[1]') },
    { type: 'TypeError', value: 'first', mechanism: chained(1, 'errors[0]') },
    {
      type: 'AggregateError',
      value: 'All promises were rejected',
      mechanism: { type: 'generic', exception_id: 0, is_exception_group: true }
    }
  ]
  await sendEvents(app, [{ exception: { values } }])
  const { body } = await admin.get('/inbox/issues/1')
  t.match(body, /One of its errors<\/p><h3><bdi>TypeError.*One of its errors<\/p><h3><bdi>RangeError/s)
  t.notMatch(body, 'Caused by')
  t.match((await admin.get('/inbox/issues/1/markdown')).body, /\nOne of its errors: TypeError: first\n/)
})

t.test('undoing a merge redirects to the issue, even if the shown event belongs to the other one', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  await sendEvents(app, [thrown('One'), thrown('Two')])
  const { row } = await app.inbox!.queries.getEvent({ id: 2 })
  const { undo } = await app.inbox!.changes.mergeIssues({ issues: [{ id: 2 }], into: 1, who: 1 })
  const shown = `/inbox/issues/1?event=${row.eventId}&range=7d`
  t.equal((await admin.get(shown)).statusCode, 200)
  const { headers } = await admin.post(shown, { do: 'undo', activities: undo.join(',') })
  t.equal(headers.location, '/inbox/issues/1?range=7d')
  t.match((await admin.get('/inbox/issues/1?range=7d')).body, 'One')
  const left = await admin.get(shown)
  t.equal(
    left.headers.location,
    `/inbox/issues/2?event=${row.eventId}&range=7d`,
    'a link to the event redirects to its issue'
  )
})

t.test('the address of a merged issue redirects to the same event, search or tag of the remaining issue', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  await sendEvents(app, [thrown('One'), thrown('Two')])
  await app.inbox!.changes.mergeIssues({ issues: [{ id: 2 }], into: 1, who: 1 })
  for (const rest of ['?event=abc&range=7d', '/events?q=release%3A1.0&range=7d', '/tags?tag=release&range=7d'])
    t.equal((await admin.get(`/inbox/issues/2${rest}`)).headers.location, `/inbox/issues/1${rest}`)
})

t.test('a form of an issue that was merged in the meantime changes the remaining issue', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  await sendEvents(app, [thrown('One'), thrown('Two')])
  const mia = await acceptInvitation(app, admin, 'member', 'Mia')
  await app.inbox!.changes.mergeIssues({ issues: [{ id: 2 }], into: 1, who: 1 })
  for (const person of [admin, mia]) {
    const commented = await person.post('/inbox/issues/2?range=7d', { do: 'comment', text: 'It was the disk.' })
    t.equal(commented.headers.location, '/inbox/issues/1?range=7d#activity')
    const followed = await person.post('/inbox/issues/2', { do: 'follow' })
    t.equal(followed.headers.location, '/inbox/issues/1')
    const resolved = await person.post('/inbox/issues/2', { do: 'resolve', issue: '2:1' })
    t.match(
      (await person.get(resolved.headers.location as string)).body,
      /Ada<\/bdi>.{0,20}merged.{0,60}One.*Your change was not applied/s
    )
  }
  const { comments } = await app.inbox!.queries.listComments({ id: 1 })
  t.match(comments, [{ text: 'It was the disk.' }, { text: 'It was the disk.' }])
  t.equal((await app.inbox!.queries.getIssue({ id: 1 })).state, 'unresolved')
})

t.test('a resolved issue of a project without releases shows no release', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  const { id, key } = await app.inbox!.changes.createProject({ name: 'Workers' })
  const payload = `{}\n{"type":"event"}\n${JSON.stringify(thrown('One'))}\n`
  await app.inject({ method: 'POST', url: `/api/${id}/envelope/?sentry_key=${key}`, payload })
  await stored(app, 'event')
  await app.inbox!.changes.resolveIssues({ issues: [{ id: 1 }], who: 1 })
  const { body } = await admin.get('/inbox/issues/1')
  const above = /class="issue-above">.*?<\/p>/s.exec(body)![0].replace(/<[^>]*>/g, '')
  t.match(above, /Resolved$/)
})

t.test('the page of an issue', async (t) => {
  const { app, admin } = await openScreens(t)
  const find = async (query: string) => {
    const { body } = await admin.get(`/inbox/issues?${new URLSearchParams({ q: query, range: '30d' })}`)
    return issueIn(body)
  }
  const id = await find('"could not be placed"')
  const page = (await admin.get(`/inbox/issues/${id}`)).body

  t.test('shows the title, the counts and the times of the issue', async (t) => {
    t.match(page, /<h1><bdi>Error<\/bdi><\/h1>.*could not be placed/s)
    t.match(page, /<dt>Events<\/dt><dd>[\d,]+<.*<dt>Visitors<\/dt><dd>[\d,]+<.*First seen.*<time .*Last seen.*<time /s)
    t.match(page, /Last seen<.*<time .*newest release/s, 'the last event may be of an older release')
    t.match(page, /<title>Error: order \d+ could not be placed · Inbox<\/title>/)
  })

  t.test('shows frames of the application with seven source lines, and marks the failing word', async (t) => {
    const [frame] = /<details open="">.*?<\/details>/s.exec(page.slice(page.indexOf('class="frames"')))!
    t.match(frame, /placeOrder.*lib\/orders\.ts.*:11:5/s)
    t.equal(frame.match(/class="source-number"/g)!.length, 7)
    t.match(frame, /source-failing.*<mark><bdi>throw<\/bdi><\/mark>/s)
  })

  t.test('folds library frames into one line, and shows the cause of the error', async (t) => {
    t.match(page, /<details><summary>\d frames in <bdi>fastify<\/bdi><\/summary>/)
    t.match(page, /Caused by<\/p><h3><bdi>PaymentDeclined/)
  })

  t.test('links each frame of the application to its line, and links to a new issue in the repository', async (t) => {
    const [, href] = /lib\/orders\.ts.*?href="([^"]+)"[^>]*>Show in the repository/s.exec(page)!
    t.match(href, /^https:\/\/github\.com\/acme\/shop\/blob\/[\da-f]{40}\/.*lib\/orders\.ts#L11$/)
    const [, report] = /href="([^"]+)"[^>]*>New issue in the repository/.exec(page)!
    const { pathname, searchParams } = new URL(report!.replaceAll('&amp;', '&'))
    t.equal(pathname, '/acme/shop/issues/new')
    t.match(searchParams.get('title'), /^Error: order \d+ could not be placed$/)
    t.match(searchParams.get('body'), `/inbox/issues/${id}?event=`)
  })

  t.test('shows breadcrumbs with their time before the error', async (t) => {
    t.match(page, /class="step-time">−[\d.]+ (s|ms)<.*aria-label="Request".*class="step-time">0 s</s)
  })

  t.test('shows the shares of tags, the activity and the reason for the grouping', async (t) => {
    t.match(
      page,
      /<h3><a href="[^"]+\/tags\?tag=release"><bdi>release<\/bdi><\/a><\/h3>.*<bdi>1\.\d\.\d<\/bdi><\/a><span class="share-percent">\d+ %<.*?<svg class="share-bar" aria-hidden="true">/s
    )
    t.match(page, /First seen.*Why are these grouped\?.*same innermost functions/s)
  })

  t.test('links to the next older and newer event', async (t) => {
    const older = /href="([^"]+)"[^>]*rel="prev"[^>]*aria-label="Older event"/.exec(page)?.[1]
    t.match(older, new RegExp(`^/inbox/issues/${id}\\?event=[\\da-f]{32}$`))
    const { body } = await admin.get(older!)
    t.match(body, 'aria-label="Newer event"')
    const newer = /href="([^"]+)"[^>]*rel="next"[^>]*aria-label="Newer event"/.exec(body)![1]!
    const newest = /<code class="digest">([\da-f]{32})</.exec(page)![1]!
    t.match(newer, newest)
  })

  t.test('shows the trace of the error, with the error marked', async (t) => {
    const { events } = await app.inbox!.queries.listEvents({ id: await find('FetchFailed'), limit: 50 })
    const traces = await Promise.all(
      events.map(({ traceId = '' }) => app.inbox!.queries.getTrace({ traceId }).catch(() => undefined))
    )
    const at = traces.findIndex((trace) => trace !== undefined && trace.spans.length > 0)
    const { body } = await admin.get(`/inbox/issues/${await find('FetchFailed')}?event=${events[at]!.eventId}`)
    t.match(body, new RegExp(`<h2 id="trace">Trace</h2><a href="/inbox/traces/${events[at]!.traceId}">`))
    t.match(body, 'class="waterfall"')
  })

  t.test('can be copied as Markdown, with its stack', async (t) => {
    const { body, headers } = await admin.get(`/inbox/issues/${id}/markdown`)
    t.equal(headers['content-type'], 'text/plain; charset=utf-8')
    t.match(
      body,
      /^# Error: order \d+ could not be placed\n\n<http:\/\/localhost:3000\/inbox\/issues\/\d+\?event=[\da-f]{32}>/
    )
    t.match(body, /at placeOrder \(lib\/orders\.ts:11:5\)\n.*> 11 \| .*throw new Error.*\n\s+\| \s+\^/s)
    t.match(body, 'Caused by: PaymentDeclined: insufficient_funds')
  })

  t.test('shows the raw payload only to admins', async (t) => {
    const raw = await admin.get(`/inbox/issues/${id}/payload`)
    t.equal(raw.headers['content-type'], 'text/plain; charset=utf-8')
    t.match(JSON.parse(raw.body), { platform: /.+/, exceptions: [{}, {}] })
    const viewer = await acceptInvitation(app, admin, 'viewer', 'Vera')
    t.equal((await viewer.get(`/inbox/issues/${id}/payload`)).statusCode, 403)
    t.equal((await viewer.get(`/inbox/issues/${id}/markdown`)).statusCode, 200)
    const { body } = await viewer.get(`/inbox/issues/${id}`)
    t.notMatch(body, /value="resolve"|\/payload/)
    t.equal((await viewer.post(`/inbox/issues/${id}`, { do: 'resolve', issue: `${id}:1` })).statusCode, 403)
  })

  t.test('serves an attachment as a file that no browser executes', async (t) => {
    const event = createRawEvent(thrown('WithAttachment'))
    const header = { type: 'attachment', filename: 'a"\r\n<b>ü.html', content_type: 'text/html' }
    await sendItems(app, [
      [{ type: 'event' }, event],
      [header, '<script>alert(1)</script>']
    ])
    await stored(app, 'attachment')
    const { body } = await admin.get(`/inbox/issues/${await find('WithAttachment')}`)
    const [, href] = /href="(\/inbox\/attachments\/\d+)"/.exec(body)!
    const { headers, statusCode } = await admin.get(href!)
    t.equal(statusCode, 200)
    t.match(headers, {
      'content-type': 'application/octet-stream',
      'content-disposition': /^attachment; filename="[\w.-]+"; filename\*=UTF-8''[\w%.-]+$/,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff'
    })
    t.equal((await admin.get('/inbox/attachments/999999')).statusCode, 404)
  })

  t.test('is 404 for an issue or event that does not exist', async (t) => {
    for (const path of [
      '999999',
      '0',
      '-1',
      'x',
      '1e3',
      '99999999999999999999',
      `${id}?event=${'0'.repeat(32)}`,
      `${id}?event=x`
    ])
      t.equal((await admin.get(`/inbox/issues/${path}`)).statusCode, 404, path)
  })

  t.test('requires a sign-in', async (t) => {
    for (const path of [
      '',
      '/issues',
      `/issues/${id}`,
      `/issues/${id}/markdown`,
      `/issues/${id}/payload`,
      '/attachments/1',
      '/live'
    ]) {
      const { statusCode, headers } = await app.inject({ url: `/inbox${path}`, headers: { accept: 'text/html' } })
      t.equal(statusCode, 401, path)
      t.equal(headers['cache-control'], 'private, no-store')
    }
  })
})

t.test('an issue whose events were all deleted keeps its page', async (t) => {
  const folder = createFolder(t)
  const { app, admin } = await openScreens(t, { isEmpty: true, env: { DATA_DIR: folder } })
  await sendEvents(app, [thrown('Lost')])
  const db = new DatabaseSync(join(folder, 'inbox.db'))
  db.exec('DELETE FROM event')
  db.close()
  for (const path of ['', '/events', '/tags'])
    t.equal((await admin.get(`/inbox/issues/1${path}`)).statusCode, 200, `the page ${path}`)
  t.match(
    (await admin.get('/inbox/issues/1')).body,
    /Lost.*The events of this issue were deleted to free space.*Activity/s
  )
  const markdown = (await admin.get('/inbox/issues/1/markdown')).body
  t.match(markdown, /# Lost.*\/inbox\/issues\/1>.*- State: unresolved.*were deleted to free space/s)
  t.equal((await admin.get('/inbox/issues/1/payload')).statusCode, 404)
  t.equal((await admin.post('/inbox/issues/1', { do: 'resolve', issue: '1:0' })).statusCode, 303)
})

t.test('changes to one issue', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  await sendEvents(app, [thrown('FirstError'), thrown('SecondError')])
  const body = (await admin.get('/inbox/issues')).body
  const [first, second] = [issueIn(body, 'FirstError'), issueIn(body, 'SecondError')]
  const read = (id: number) => app.inbox!.queries.getIssue({ id })
  const change = async (id: number, fields: Record<string, string>) =>
    admin.post(`/inbox/issues/${id}`, { issue: `${id}:${(await read(id)).version}`, ...fields })

  t.test('resolve, reopen and ignore it, and are listed in the activity', async (t) => {
    const resolved = await change(first, { do: 'resolve-next' })
    t.equal(resolved.headers.location, `/inbox/issues/${first}`)
    t.notMatch((await admin.get('/inbox/issues')).body, 'change-notice', 'no other page shows the notice')
    t.match(
      (await admin.get(`/inbox/issues/${first}`)).body,
      /change-notice.*1 issue resolved in the next release\..*name="activities" value="\d+"/s
    )
    t.notMatch((await admin.get(`/inbox/issues/${first}`)).body, 'change-notice', 'the page shows the notice once')
    t.match(
      (await admin.get(`/inbox/issues/${first}`)).body,
      /<bdi>Ada<\/bdi><\/b>.{0,20}resolved this issue.{0,12} in the next release/
    )
    await change(first, { do: 'reopen' })
    t.equal((await read(first)).state, 'unresolved')
    await change(first, { do: 'ignore-tomorrow' })
    t.match((await admin.get(`/inbox/issues/${first}`)).body, /Ignored<\/span><\/span><span>until <time/)
    await change(first, { do: 'reopen' })
  })

  t.test('add a comment as text, and keep the previous change undoable', async (t) => {
    await change(first, { do: 'resolve' })
    const [resolved] = (await read(first)).activity
    const added = await admin.post(`/inbox/issues/${first}?range=7d`, { do: 'comment', text: ' <b>Twice</b>\ntoday ' })
    t.equal(added.headers.location, `/inbox/issues/${first}?range=7d#activity`)
    const { body } = await admin.get(`/inbox/issues/${first}`)
    t.match(body, /<bdi>Ada<\/bdi><\/b>.{0,20}commented/)
    t.match(body, '<p>&lt;b&gt;Twice&lt;/b&gt;<br>\ntoday</p>')
    await admin.post(`/inbox/issues/${first}`, { do: 'undo', activities: resolved!.id })
    t.equal((await read(first)).state, 'unresolved')
    const refused = await admin.post(`/inbox/issues/${first}`, { do: 'comment', text: 'x'.repeat(10_001) })
    t.equal(refused.statusCode, 422)
    t.match(refused.body, 'A comment has 1 to 10000 characters.')
    t.match(refused.body, 'x'.repeat(10_001), 'the text is kept')
    const viewer = await acceptInvitation(app, admin, 'viewer', 'Vera')
    t.equal((await viewer.post(`/inbox/issues/${first}`, { do: 'comment', text: 'no' })).statusCode, 403)
  })

  t.test('merge it with another issue, and split it again', async (t) => {
    const page = (await admin.get(`/inbox/issues/${second}?range=7d`)).body
    t.match(page, `href="/inbox/issues/merge?issue=${second}&amp;range=7d"`)
    const found = (await admin.get(`/inbox/issues/merge?issue=${second}&find=FirstError`)).body
    t.match(found, 'Search results')
    const both = `/inbox/issues/merge?issue=${second}&issue=${first}`
    t.match(found, `href="${both.replace('&', '&amp;')}&amp;find=FirstError"`, 'the search is kept')
    const chosen = (await admin.get(both)).body
    t.match(chosen, 'Which issue stays?')
    const issues = [...chosen.matchAll(/name="issue" value="(\d+:\d+)"/g)].map(([, issue]) => issue!)
    t.equal(issues.length, 2)
    const post = (into: string) =>
      admin.ask({
        method: 'POST',
        url: both,
        payload: new URLSearchParams([
          ['do', 'merge-into'],
          ['into', into],
          ...issues.map((one) => ['issue', one])
        ]).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
      })
    for (const into of ['', 'x', '424242']) {
      const refused = await post(into)
      t.equal(refused.statusCode, 422)
      t.match(refused.body, /role="alert">(Choose which issue stays|This issue does not exist)/)
    }
    const merged = await post(String(first))
    t.equal(merged.headers.location, `/inbox/issues/${first}`)
    const { body } = await admin.get(`/inbox/issues/${first}`)
    t.match(body, 'merged into this one')
    const keys = [...body.matchAll(/name="key" value="(\d+)"/g)].map(([, key]) => key!)
    t.equal(keys.length, 2)
    const apart = await admin.post(`/inbox/issues/${first}`, { do: 'unmerge', key: keys[1]! })
    t.equal(apart.statusCode, 303)
    t.match((await admin.get(apart.headers.location as string)).body, 'SecondError')
  })

  t.test('are refused with a message in the form', async (t) => {
    const tomorrow = Date.now() + 86_400_000
    for (const until of [Date.now() - 1, 0, Date.now() + 32 * 86_400_000, 999_999_999_999_999]) {
      const refused = await change(first, { do: `ignore-until-${until}` })
      t.equal(refused.statusCode, 422, `until ${until}`)
      t.match(refused.body, /role="alert">An issue can be ignored/)
      t.equal((await read(first)).state, 'unresolved')
    }
    await change(first, { do: `ignore-until-${tomorrow}` })
    t.match(await read(first), { state: 'ignored', ignoredUntil: tomorrow })
    await change(first, { do: 'reopen' })
    t.equal((await change(first, { do: 'explode' })).statusCode, 422)
  })

  t.test('delete it', async (t) => {
    t.equal((await change(first, { do: 'delete' })).headers.location, '/inbox/issues')
    t.equal((await admin.get(`/inbox/issues/${first}`)).statusCode, 404)
  })
})
