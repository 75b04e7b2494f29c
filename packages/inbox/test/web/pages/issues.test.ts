import t from 'tap'
import { acceptInvitation } from '../../helpers/invitation.ts'
import { hrefIn, issueIn, openScreens, placeIn, sendEvents, thrown } from '../../helpers/screens.ts'

const rowsIn = (html: string) => html.split('<tr data-row="').slice(1)
const idsIn = (html: string) => rowsIn(html).map((row) => Number.parseInt(row, 10))

t.test('the list of issues', async (t) => {
  const { app, admin } = await openScreens(t)

  t.test('shows unresolved issues with their state in words, culprit and figures', async (t) => {
    const { statusCode, body } = await admin.get('/inbox/issues')
    t.equal(statusCode, 200)
    const rows = rowsIn(body)
    t.ok(rows.length > 10)
    t.match(
      rows[0],
      /issue-state-(new|unresolved|regressed)".*<span class="visually-hidden">(New|Unresolved|Regressed)</
    )
    // Which issue was seen last depends on the hour, and some issues have no location in the code.
    t.ok(rows.some((row) => /class="culprit">(<span class="issue-note">.*?<\/span>)*<bdi>[\w/.-]+:\w+/.test(row)))
    t.match(rows[0], /aria-label="\d+ events? in the last 24 hours"/)
    t.match(rows[0], /<time dateTime="[^"]+Z" title="[\d-]+ [\d:]+ UTC">/)
    t.notMatch(body, / style=/)
  })

  t.test('is sorted as the address says, and marks the column', async (t) => {
    const { body } = await admin.get('/inbox/issues?sort=events')
    const counts = rowsIn(body).map((row) => Number(/<td class="number">([\d,]+)</.exec(row)![1]!.replace(',', '')))
    t.same(
      counts,
      counts.toSorted((a, b) => b - a)
    )
    t.match(body, /<th scope="col" class="number" aria-sort="descending"><a href="[^"]*sort=events/)
  })

  t.test('has pages with cursors, in both directions', async (t) => {
    const kinds = Array.from(
      { length: 60 },
      (_, i) => `Walked${String.fromCodePoint(65 + (i % 26), 65 + Math.floor(i / 26))}`
    )
    await sendEvents(
      app,
      kinds.map((kind) => thrown(kind))
    )
    const pages: number[][] = []
    const places: (string | undefined)[] = []
    for (let href: string | undefined = '/inbox/issues?range=30d&q='; href;) {
      const { body }: { body: string } = await admin.get(href)
      const ids = idsIn(body)
      const before = pages.flat().length
      pages.push(ids)
      places.push(placeIn(body))
      t.match(placeIn(body), new RegExp(`^${before + 1}–${before + ids.length} of \\d+$`))
      href = hrefIn(body, 'next')
      if (!href) {
        const before = await admin.get(hrefIn(body, 'prev')!)
        t.same(idsIn(before.body), pages.at(-2))
        t.equal(placeIn(before.body), places.at(-2))
      }
    }
    t.ok(pages.length >= 2)
    const all = pages.flat()
    t.ok(all.length >= 60)
    t.equal(new Set(all).size, all.length, 'no issue is listed twice')
    t.ok(
      places.every((place) => place?.endsWith(` of ${all.length}`)),
      'the total is the number of issues on all pages'
    )
    const tab = (await admin.get('/inbox/issues?range=30d')).body
    t.match(placeIn(tab), / of \d+$/)
    t.match(tab, `Unresolved<span class="tabs-count">${placeIn(tab)!.split(' ').at(-1)}<`, 'the number of the tab')
  })

  t.test('shows the results of a search, and says why a search is invalid', async (t) => {
    const { body } = await admin.get('/inbox/issues?q=is%3Aregressed')
    t.ok(rowsIn(body).length > 0)
    t.ok(rowsIn(body).every((row) => row.includes('Regressed')))
    t.match(body, /aria-current="page">Regressed/)

    for (const [query, sentence] of [
      ['is:open', /is: accepts unresolved, regressed, resolved, ignored and new \(found &quot;open&quot;\)\./],
      ['color:red', /Unknown filter &quot;color&quot;/],
      ['tag:x', /tag: needs a name and a value/]
    ] as const) {
      const wrong = await admin.get(`/inbox/issues?${new URLSearchParams({ q: query })}`)
      t.equal(wrong.statusCode, 200)
      t.match(wrong.body, sentence)
      t.match(wrong.body, `value="${query}"`, 'the typed text is kept')
      t.match(wrong.body, 'aria-invalid="true"')
      t.same(rowsIn(wrong.body), [])
    }
  })

  t.test('finds words that contain a zero-width non-joiner, as Persian has', async (t) => {
    const text = 'سفارش نمی\u200Cشود'
    await sendEvents(app, [thrown('OrderError', text)])
    for (const query of [text, `"${text}"`]) {
      const { body } = await admin.get(`/inbox/issues?${new URLSearchParams({ q: query })}`)
      t.match(rowsIn(body), [`<bdi>${text}</bdi>`], 'shown as it was written')
    }
  })

  t.test('says that no issue matches, and links to wider searches', async (t) => {
    const { body } = await admin.get('/inbox/issues?q=nothingislikethis')
    t.match(body, /No matching issues.*Search the last 30 days.*Show all unresolved issues/s)
  })

  t.test('adds the filter of a form to the search', async (t) => {
    const added = await admin.get('/inbox/issues?q=is%3Aunresolved&add=url&value=%2Fcheckout+x&range=7d')
    t.equal(added.statusCode, 302)
    t.equal(added.headers.location, '/inbox/issues?q=is%3Aunresolved+url%3A%22%2Fcheckout+x%22&range=7d')
    const again = await admin.get('/inbox/issues?q=url%3A%2Fa&add=url&value=%2Fa')
    t.equal(again.headers.location, '/inbox/issues?q=url%3A%2Fa', 'a filter is added once')
    const tag = await admin.get('/inbox/issues?q=&add=tag&value=colour%3Dred')
    t.equal(tag.headers.location, '/inbox/issues?q=tag%3Acolour%3Dred')
  })

  t.test('redirects from an id to its issue or event', async (t) => {
    const { body } = await admin.get('/inbox/issues')
    const id = issueIn(body)
    const page = (await admin.get(`/inbox/issues/${id}`)).body
    const eventId = /<code class="digest">([\da-f]{32})</.exec(page)![1]!
    t.equal((await admin.get(`/inbox/issues?q=${eventId}`)).headers.location, `/inbox/issues/${id}?event=${eventId}`)
    t.equal((await admin.get(`/inbox/issues?q=%23${id}`)).headers.location, `/inbox/issues/${id}`)
    t.equal((await admin.get(`/inbox/issues?q=${'f'.repeat(32)}`)).statusCode, 200, 'or searches for the text')
  })

  t.test('shows the first page when all issues of a later page have been resolved', async (t) => {
    let page = '/inbox/issues?range=30d'
    for (let next: string | undefined = page; next;) {
      page = next
      next = hrefIn((await admin.get(page)).body, 'next')
    }
    t.match(page, 'cursor=')
    const { body } = await admin.get(page)
    const issues = [...body.matchAll(/name="issue" value="(\d+:\d+)"/g)].map(([, issue]) => issue!)
    const resolved = await admin.ask({
      method: 'POST',
      url: page,
      payload: new URLSearchParams([['do', 'resolve'], ...issues.map((issue) => ['issue', issue])]).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
    })
    t.equal(resolved.headers.location, page)
    const left = (await admin.get(page)).body
    t.match(left, `${issues.length} issue`)
    t.same(idsIn(left), idsIn((await admin.get('/inbox/issues?range=30d')).body))
    t.ok(idsIn(left).length > 0)
  })

  t.test('shows a viewer no checkboxes, and refuses a change', async (t) => {
    const viewer = await acceptInvitation(app, admin, 'viewer', 'Vera')
    const { body } = await viewer.get('/inbox/issues')
    t.ok(rowsIn(body).length > 0)
    t.notMatch(body, 'issues-box')
    t.notMatch(body, 'value="resolve"')
    t.equal((await viewer.post('/inbox/issues', { do: 'resolve', issue: '1:1' })).statusCode, 403)
  })

  t.test('shows a member of one project checkboxes only for issues of the project', async (t) => {
    const member = await acceptInvitation(app, admin, 'member', 'Mia', 1)
    const { id } = (await app.inbox!.queries.listPeople()).find(({ name }) => name === 'Mia')!
    await admin.post(`/inbox/settings/people/${id}`, { intent: 'roles', role: 'viewer', 'project-1': 'member' })
    const rows = rowsIn((await member.get('/inbox/issues?range=30d&q=&sort=events')).body)
    const boxes = await Promise.all(
      rows.map(async (row) => {
        const { project } = await app.inbox!.queries.getIssue({ id: Number.parseInt(row, 10) })
        return `${project === 1 ? 'own' : 'other'}: ${row.includes('type="checkbox"')}`
      })
    )
    t.same([...new Set(boxes)].sort(), ['other: false', 'own: true'])
  })

  t.test('lets an admin of one project delete only in the list of that project', async (t) => {
    const person = await acceptInvitation(app, admin, 'admin', 'Noor', 1)
    const { id } = (await app.inbox!.queries.listPeople()).find(({ name }) => name === 'Noor')!
    await admin.post(`/inbox/settings/people/${id}`, { intent: 'roles', role: 'viewer', 'project-1': 'admin' })
    const mayDelete = async (query: string) =>
      (await person.get(`/inbox/issues${query}`)).body.includes('value="delete"')
    t.equal(await mayDelete('?project=1'), true)
    t.equal(await mayDelete('?project=2'), false)
    t.equal(await mayDelete(''), false)
  })
})

t.test('many issues at once', async (t) => {
  const { app, admin } = await openScreens(t)
  // Issues of one project, because only those can be merged.
  const choose = async () => {
    const { body } = await admin.get('/inbox/issues?project=1')
    return [...body.matchAll(/name="issue" aria-label="[^"]*" value="(\d+:\d+)"|name="issue" value="(\d+:\d+)"/g)].map(
      (match) => match[1] ?? match[2]!
    )
  }
  const post = (what: string, issues: string[], more: [string, string][] = []) =>
    admin.ask({
      method: 'POST',
      url: '/inbox/issues?range=7d&q=is%3Aunresolved',
      payload: new URLSearchParams([['do', what], ...issues.map((issue) => ['issue', issue]), ...more]).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
    })
  const stateOf = async (issue: string) => (await app.inbox!.queries.getIssue({ id: Number.parseInt(issue, 10) })).state

  t.test('are resolved, and undone', async (t) => {
    const two = (await choose()).slice(0, 2)
    const before = await Promise.all(two.map(stateOf))
    const done = await post('resolve', two)
    t.equal(done.statusCode, 303)
    t.match(done.headers.location, /^\/inbox\/issues\?q=is%3Aunresolved&range=7d$/)
    t.same(await Promise.all(two.map(stateOf)), ['resolved', 'resolved'])
    const { body } = await admin.get(done.headers.location as string)
    t.match(body, /change-notice.*2 issues resolved\./s)
    t.match(
      body,
      /change-notice.*?<form [^>]*action="\/inbox\/issues\?q=is%3Aunresolved&amp;range=7d"/s,
      'undoing redirects to the same list'
    )
    t.match((await admin.get('/inbox/issues')).body, '<div class="change-status" role="status"></div>', 'always there')
    t.notMatch((await admin.get(done.headers.location as string)).body, 'change-notice', 'the notice is shown once')
    const activities = /name="activities" value="([\d,]+)"/.exec(body)![1]!
    await post('undo', [], [['activities', activities]])
    t.same(await Promise.all(two.map(stateOf)), before)
  })

  t.test('are ignored for some time, merged and deleted', async (t) => {
    const [one, two, three, four] = await choose()
    await post('ignore-100', [one!])
    const ignored = await app.inbox!.queries.getIssue({ id: Number.parseInt(one!, 10) })
    t.match(ignored, { state: 'ignored', ignoredUntilEvents: ignored.events + 100 })
    await post('ignore-week', [two!])
    const until = (await app.inbox!.queries.getIssue({ id: Number.parseInt(two!, 10) })).ignoredUntil!
    t.equal(new Date(until).getUTCDay(), 1, 'a Monday')
    t.ok(until > Date.now())

    const alone = await post('merge', [three!])
    t.equal(alone.statusCode, 422)
    t.match(alone.body, 'Select two or more issues to merge.')
    const picked = await post('merge', [three!, four!])
    const ids = [three!, four!].map((issue) => Number.parseInt(issue, 10))
    t.equal(picked.headers.location, `/inbox/issues/merge?issue=${ids[0]}&issue=${ids[1]}&range=7d`)
    const { body } = await admin.get(picked.headers.location as string)
    const counts = await Promise.all(ids.map(async (id) => (await app.inbox!.queries.getIssue({ id })).events))
    const most = counts[0]! > counts[1]! || (counts[0] === counts[1] && ids[0]! < ids[1]!) ? ids[0]! : ids[1]!
    t.match(
      body,
      new RegExp(`checked=""[^>]*value="${most}"|value="${most}"[^>]*checked=""`),
      'the issue with the most events is selected'
    )
    const gone = most
    const into = ids.find((id) => id !== most)!
    const merge = (what: [string, string][]) =>
      admin.ask({
        method: 'POST',
        url: picked.headers.location as string,
        payload: new URLSearchParams([
          ...what,
          ...[...body.matchAll(/name="issue" value="(\d+:\d+)"/g)].map(([, issue]) => ['issue', issue!])
        ]).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
      })
    const merged = await merge([
      ['do', 'merge-into'],
      ['into', String(into)]
    ])
    t.equal(merged.headers.location, `/inbox/issues/${into}?range=7d`)
    const shown = (await admin.get(merged.headers.location as string)).body
    t.match(shown, /change-notice.*\d issues? merged\./s)
    t.equal((await app.inbox!.queries.getIssue({ id: into })).events, counts[0]! + counts[1]!)
    const moved = await admin.get(`/inbox/issues/${gone}`)
    t.equal(moved.headers.location, `/inbox/issues/${into}`, 'the old address redirects to the remaining issue')
    await post('undo', [], [['activities', /name="activities" value="([\d,]+)"/.exec(shown)![1]!]])
    t.equal((await admin.get(`/inbox/issues/${gone}`)).statusCode, 200, 'undone')

    const rest = (await choose()).filter((issue) => !ids.includes(Number.parseInt(issue, 10))).slice(0, 1)
    const deleted = await post('delete', rest)
    t.match((await admin.get(deleted.headers.location as string)).body, /change-notice.*1 issue deleted\./s)
    t.equal((await admin.get(`/inbox/issues/${Number.parseInt(rest[0]!, 10)}`)).statusCode, 404)
  })

  t.test('show who was first if two people change the same issue', async (t) => {
    const [one] = await choose()
    await post('resolve', [one!])
    for (const what of ['ignore', 'delete']) {
      const late = await post(what, [one!])
      t.equal(await stateOf(one!), 'resolved', 'the first change is kept')
      const { body } = await admin.get(late.headers.location as string)
      t.match(body, /Ada.*resolved.*Your change was not applied\./s, what)
    }
  })

  t.test('show how many other issues somebody else changed', async (t) => {
    await sendEvents(
      app,
      Array.from({ length: 8 }, (_, i) => thrown(`Shared${String.fromCodePoint(65 + i)}`))
    )
    const { body } = await admin.get('/inbox/issues?q=Shared')
    const issues = [...body.matchAll(/name="issue" value="(\d+:\d+)"/g)].map(([, issue]) => issue!)
    t.equal(issues.length, 8)
    await post('resolve', issues)
    const late = await post('ignore', issues)
    const shown = (await admin.get(late.headers.location as string)).body
    t.equal(shown.match(/Your change was not applied\./g)!.length, 5)
    t.match(shown, '3 further issues were changed by others, and were not changed again.')
  })

  t.test('do not change for an invalid form', async (t) => {
    const [one] = await choose()
    const before = await stateOf(one!)
    for (const [what, issues] of [
      ['', [one!]],
      ['explode', [one!]],
      ['resolve', []],
      ['resolve', ['x', '1', '0:1', '-1:1', '1:x', '99999999999999999999:1']],
      ['resolve', ['999999:1']],
      ['merge', [one!]],
      ['undo', []]
    ] as const) {
      const { statusCode } = await post(what, [...issues])
      t.ok(statusCode === 303 || statusCode === 422, `${what} ${issues.join()}: ${statusCode}`)
    }
    t.equal(await stateOf(one!), before)
  })
})

t.test('all issues that match a search', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  await sendEvents(app, [
    ...Array.from({ length: 60 }, (_, i) => thrown(`Load${i}Error`, 'out of memory')),
    thrown('CartError', 'it is empty')
  ])
  const unresolved = async () => placeIn((await admin.get('/inbox/issues')).body) ?? 'one page'
  const path = '/inbox/issues?q=is:unresolved+memory'
  const row = { issue: /name="issue" value="(\d+:\d+)"/.exec((await admin.get(path)).body)![1]! }

  t.test('are deleted only if they are selected', async (t) => {
    t.equal((await admin.post(path, { ...row, do: 'delete', all: 'matching' })).statusCode, 303)
    t.equal(await unresolved(), '1–50 of 60')
  })

  t.test('are resolved together, and undone', async (t) => {
    const resolved = await admin.post(path, { ...row, do: 'resolve', all: 'matching' })
    t.equal(resolved.statusCode, 303)
    const { body } = await admin.get(String(resolved.headers.location))
    t.match(body, /59 issues.*resolved/s)
    t.match((await admin.get('/inbox/issues')).body, 'CartError')
    t.equal(
      (
        await app.inbox!.queries.listIssues({
          view: { since: Date.now() - 3_600_000, until: Date.now() },
          query: 'is:resolved'
        })
      ).total,
      59
    )
  })

  t.test('are those of the projects in which a person may change them', async (t) => {
    await admin.post('/inbox/settings', { name: 'Other' })
    const member = await acceptInvitation(app, admin, 'member', 'Mia', 2)
    const { id } = (await app.inbox!.queries.listPeople()).find(({ name }) => name === 'Mia')!
    await admin.post(`/inbox/settings/people/${id}`, { intent: 'roles', role: 'viewer', 'project-2': 'member' })
    await sendEvents(app, [thrown('LateError', 'out of memory')])
    t.equal((await member.post(path, { issue: '1:0', do: 'resolve', all: 'matching' })).statusCode, 303)
    t.match((await admin.get(path)).body, 'LateError')
  })
})
