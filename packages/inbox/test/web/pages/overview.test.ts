import t from 'tap'
import { stored } from '@hull/test-helpers/inbox.ts'
import { acceptInvitation } from '../../helpers/invitation.ts'
import { openScreens, sendEvents, thrown } from '../../helpers/screens.ts'

t.test('the overview', async (t) => {
  const { admin } = await openScreens(t)
  const { statusCode, body } = await admin.get('/inbox')

  t.test('shows its figures, each chart with a description, and the releases on the time axis', async (t) => {
    t.equal(statusCode, 200)
    const names = [...body.matchAll(/class="lane-figure"><h2>([^<]+)</g)].map(([, name]) => name)
    t.same(names, ['Errors', 'Affected visitors', 'Crash-free sessions', 'INP, p75', 'LCP, p75', 'Server, p95'])
    t.match(body, /[\d,]+ traced requests</, 'the number does not include requests that were not sampled')
    t.match(body, /aria-label="Errors over time: between [\d,]+ and [\d,]+, [\d,]+ at the end"/)
    t.match(body, /aria-label="Releases: [^"]*1\.4\.1 at \d+ \w+ \d\d:\d\d UTC/)
    t.notMatch(body, / style=/)
    const axis = /<svg class="lanes-axis".*?<\/svg>/s.exec(body)![0]
    t.match(axis, /class="lanes-release"><title>.*\d\d:\d\d<\/text>/s)
    t.ok(axis.lastIndexOf('<line') < axis.indexOf('<text'), 'no line is drawn over a label')
  })

  t.test('lists the new, the regressed and the most frequent issues, and the storage', async (t) => {
    t.match(body, /New in .*Regressed.*data-row.*Most frequent.*data-row/s)
    const { body: unknown } = await admin.get('/inbox?release=0.0.1')
    t.match(unknown, /Most frequent.*No unresolved issues in the last 24 hours\./s)
    t.match(body, /[\d,]+ events in [\d.]+ MB of 2 GB, kept for 30 days/)
  })

  t.test('shows another view, and keeps it in its links', async (t) => {
    const { body } = await admin.get('/inbox?range=7d&environment=staging&project=1')
    t.match(body, /<h1>Overview, last 7 days<\/h1>/)
    for (const path of ['/inbox/issues', '/inbox/traces', '/inbox/vitals', '/inbox/releases'])
      t.match(body, `href="${path}?project=1&amp;environment=staging&amp;range=7d"`)
    t.match(body, /<summary><span class="visually-hidden">Environment: <\/span><span class="menu-label"><bdi>staging/)
    const custom = await admin.get('/inbox?since=2026-01-01T00:00&until=2026-01-02T00:00')
    t.equal(custom.statusCode, 200, 'also a range without events')
    t.match(custom.body, 'No unresolved issues from 1 Jan 00:00 to 2 Jan 00:00 UTC.')
  })

  t.test('accepts any address', async (t) => {
    for (const query of ['range=%00', 'project=999', 'environment=%F0%9F%98%80', 'release=<script>', 'since=a&until=b'])
      t.equal((await admin.get(`/inbox?${query}`)).statusCode, 200, query)
    t.notMatch((await admin.get('/inbox?release=%3Cscript%3E')).body, '<script>')
  })
})

t.test('the release and the environment of an address are shown even if there is nothing to choose', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  const { id } = await app.inbox!.changes.createProject({ name: 'Workers' })
  const { body } = await admin.get(`/inbox/issues?project=${id}&environment=gone&release=old`)
  t.match(
    body,
    /Environment: <\/span><span class="menu-label"><bdi>gone.*Release: <\/span><span class="menu-label"><bdi>old/s
  )
  t.match(body, `href="/inbox/issues?project=${id}&amp;release=old" data-keep-scroll="true">Any environment`)
  t.notMatch((await admin.get(`/inbox/issues?project=${id}`)).body, 'Any environment')
})

t.test('the heading of the new issues names their release, unless there are several', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  await sendEvents(app, [thrown('OwnError')])
  t.match((await admin.get('/inbox')).body, /New in this release<\/h2>.{0,60}<bdi>/)
  const { id, key } = await app.inbox!.changes.createProject({ name: 'Workers' })
  const event = JSON.stringify({ ...thrown('OtherError'), release: 'w1' })
  const payload = `{}\n{"type":"event"}\n${event}\n`
  await app.inject({ method: 'POST', url: `/api/${id}/envelope/?sentry_key=${key}`, payload })
  await stored(app, 'event', 2)
  t.match((await admin.get('/inbox')).body, /New in the newest releases<\/h2>.*OtherError/s)
})

t.test('an inbox without events says how to cause an error', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  const { body } = await admin.get('/inbox')
  t.match(body, /No errors yet.*href="\/lab\/error\/click"/s)
  t.match(body, /href="\/inbox\/settings">create a project.*href="\/inbox\/doctor">doctor/s)
  const viewer = await acceptInvitation(app, admin, 'viewer', 'Vic', 1)
  const less = (await viewer.get('/inbox')).body
  t.match(less, 'No errors yet')
  t.notMatch(less, /create a project|\/inbox\/doctor/, 'no links to pages that a viewer of a project may not open')
  t.match((await admin.get('/inbox/issues')).body, 'No unresolved issues in the last 24 hours')
  await sendEvents(app, [thrown('FirstError')])
  t.match((await admin.get('/inbox')).body, 'FirstError')
})
