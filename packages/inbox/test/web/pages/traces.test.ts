import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { hrefIn, placeIn, sendItems } from '../../helpers/screens.ts'
import { openSeedStore, seedShowcase } from '../../../src/seed/index.ts'
import { seedInbox } from '../../helpers/seed-inbox.ts'
import { addLongTrace, LONG_TRACE } from '../../helpers/trace.ts'
import { stored } from '@hull/test-helpers/inbox.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import type { Store } from '../../../src/store/store.ts'

const SCREENS = ['/inbox/traces', '/inbox/vitals', '/inbox/releases', '/inbox/doctor']

/** Creates an application with data in its inbox, and signs in an admin. */
async function openInbox(t: Test, fill: (store: Store) => void) {
  const folder = createFolder(t)
  const store = openSeedStore(join(folder, 'inbox.db'))
  fill(store)
  store.close()
  const { app } = await createTestApp(t, { env: { DATA_DIR: folder, INBOX_PASSWORD } })
  const admin = await signIn(app)
  return { app, admin, get: async (url: string) => (await admin.get(url)).body }
}

const hostile = `<img src=x onerror=alert(1)>"'\u202e\u0000${'long'.repeat(2_000)}`

/** Markup around a text in a page. */
function context(body: string, text: string): string | undefined {
  const at = body.indexOf(text)
  return at === -1 ? undefined : body.slice(Math.max(0, at - 80), at + 20)
}

t.test('visitors without a sign-in see neither pages nor their data', async (t) => {
  const { app } = await createTestApp(t, { env: { INBOX_PASSWORD } })
  for (const path of [...SCREENS, `/inbox/traces/${LONG_TRACE}`]) {
    t.equal((await app.inject({ url: path })).statusCode, 401, path)
    t.equal((await app.inject({ url: `/-/data${path}` })).statusCode, 401, path)
  }
})

t.test('the scale of a heat map with one request contains the duration of the request', async (t) => {
  const { app, get } = await openInbox(t, () => {})
  const end = Date.now() / 1_000
  const trace = { trace_id: '1'.repeat(32), span_id: '2'.repeat(16), op: 'http.server' }
  await sendItems(app, [
    [
      { type: 'transaction' },
      {
        type: 'transaction',
        transaction: '/one',
        platform: 'node',
        start_timestamp: end - 0.245,
        timestamp: end,
        contexts: { trace }
      }
    ]
  ])
  await stored(app, 'transaction', 1)
  const body = await get('/inbox/traces?route=/one&side=server')
  const [, scale = ''] = /class="heat-scale"[^>]*>(.*?)<\/div>/s.exec(body) ?? []
  const [top, bottom] = [...scale.matchAll(/>(\d+) ms</g)].map(([, ms]) => Number(ms))
  t.ok(bottom! < 245 && top! >= 245, `${bottom} to ${top} ms`)
})

t.test('traces of other work than requests have no routes', async (t) => {
  const { app, get } = await openInbox(t, () => {})
  const end = Date.now() / 1_000
  const trace = { trace_id: '1'.repeat(32), span_id: '2'.repeat(16), op: 'queue.task.celery' }
  const task = { type: 'transaction', transaction: 'shop.pay', platform: 'python', start_timestamp: end - 1 }
  await sendItems(app, [[{ type: 'transaction' }, { ...task, timestamp: end, contexts: { trace } }]])
  await stored(app, 'transaction', 1)
  const body = await get('/inbox/traces')
  t.match(body, /No request, page load or navigation was received.*shop\.pay/s)
  t.notMatch(body, 'class="table routes"')
})

t.test('each page of an empty inbox says what will appear there', async (t) => {
  const { get } = await openInbox(t, () => {})
  t.match(await get('/inbox/traces'), /No traces in the last 24 hours.*href="\/lab">Open a page of the lab/s)
  t.match(await get('/inbox/vitals'), /No web vitals in the last 24 hours.*href="\/lab">Open a page of the lab/s)
  t.match(await get('/inbox/doctor'), 'No event has arrived from a browser yet.')
})

t.test('the pages of a filled inbox show its data', async (t) => {
  const { get, admin } = await openInbox(t, seedShowcase)
  const traces = await get('/inbox/traces')
  t.match(traces, /\/items\/\[id\]/)
  t.match(traces, /role="img" aria-label="\d+ requests; most of them took up to/)
  t.match(await get('/inbox/vitals'), /% good, .*% need improvement, .*% poor, of \d+ visits/)
  const releases = await get('/inbox/releases?range=1h')
  t.match(releases, '1.4.1')
  const [, found] = /<a href="([^"]+)" aria-label="\d+ new">/.exec(releases)!
  t.match(found, 'since=', 'the number is a total, so that its list is not limited to an hour')
  t.match(await get(found!.replaceAll('&amp;', '&')), '<tr data-row=')
  t.match(await get('/inbox/doctor'), 'the client could not reach the tunnel')
  for (const path of SCREENS) {
    const { statusCode, headers, body } = await admin.get(path)
    t.equal(statusCode, 200, path)
    t.match(headers['cache-control'], 'no-store')
    t.notMatch(body, / style="/, 'the policy forbids style attributes')
    t.match(body, 'name="robots" content="noindex"')
  }
})

t.test('of many releases the newest are shown, and the page says so', async (t) => {
  const fill = (count: number) => (store: Store) => {
    for (let i = 1; i <= count; i++)
      store.run('INSERT INTO release (project, version, first_seen, last_seen) VALUES (1, ?, ?, ?)', `v${i}`, i, i)
  }
  // The running release of the application is the newest.
  t.notMatch(await (await openInbox(t, fill(49))).get('/inbox/releases'), 'The newest 50')
  const body = await (await openInbox(t, fill(50))).get('/inbox/releases')
  t.match(body, 'The newest 50.')
  t.match(body, 'release=v2"')
  t.equal(body.match(/class="row-name"/g)!.length, 50)
})

t.test('the numbers of a release link to the issues that they count', async (t) => {
  const { get } = await openInbox(t, (store) => {
    store.run("INSERT INTO project (id, name, key, created) VALUES (2, 'Jobs', 'b', 1)")
    const at = Date.now() - 1_000
    for (const [project, issues] of [
      [1, 2],
      [2, 1]
    ] as const) {
      const version = String.raw`7 "b"\1`
      const release = store.insert(
        'INSERT INTO release (project, version, first_seen, last_seen, new_issues) VALUES (?, ?, ?, ?, ?)',
        project,
        version,
        at,
        at,
        issues
      )
      for (let i = 0; i < issues; i++)
        store.run(
          `INSERT INTO issue (project, type, value, culprit, level, side, first_seen, last_seen, first_release)
           VALUES (?, 'TypeError', 'it', '', 'error', 'browser', ?, ?, ?)`,
          project,
          at,
          at,
          release
        )
    }
    store.run(
      "INSERT INTO release_commit (release, position, commit_id, title, author) SELECT id, 0, 'c0ffee', 'x', ? FROM release",
      'Ada\u202E'
    )
  })
  const releases = await get('/inbox/releases?environment=production')
  t.match(releases, 'by <bdi>Ada<span class="invisible-character"')
  const found = [...releases.matchAll(/<a href="([^"]+)" aria-label="(\d+) new">/g)]
  t.equal(found.length, 2)
  for (const [, href, count] of found)
    t.equal((await get(href!.replaceAll('&amp;', '&'))).split('<tr data-row=').length - 1, Number(count), href!)
})

t.test('the address selects the view', async (t) => {
  const { get, admin } = await openInbox(t, seedShowcase)
  const server = await get('/inbox/traces?route=%2Fitems%2F%5Bid%5D&side=server&sort=slowest&range=7d')
  t.match(server, 'Traces of this route')
  t.match(server, /<a href="[^"]*" aria-current="page">Slowest/)
  const next = /href="(\/inbox\/traces\?[^"]*cursor=[^"]*)"/.exec(server)![1]!.replaceAll('&amp;', '&')
  t.match(next, 'range=7d', 'the next page keeps the view')
  const second = await get(next)
  t.not(second, server)
  t.match(placeIn(server), /^1–30 of \d+\+?$/)
  t.equal(placeIn(second), placeIn(server)!.replace('1–30', '31–60'))
  t.equal(hrefIn(second, 'prev'), '/inbox/traces?route=%2Fitems%2F%5Bid%5D&side=server&sort=slowest&range=7d')
  t.notMatch(second, 'First page')
  t.match(await get('/inbox/vitals?page=%2Fcheckout'), 'all pages')
  const odd = await get('/inbox/traces?sort=constructor&by=__proto__&side=both&range=9y')
  t.match(odd, 'Recent traces')
  for (const page of ['cursor=%27', `${next.split('?')[1]!.replace(/offset=\d+/, 'offset=x')}`])
    t.equal((await admin.get(`/inbox/traces?${page}`)).statusCode, 400, page)
})

t.test('the trend of vitals shows its time range', async (t) => {
  const { get } = await openInbox(t, seedShowcase)
  t.match(await get('/inbox/vitals?range=7d'), 'p75 of all pages, last 30 days')
  const toTime = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 16)
  const body = await get(`/inbox/vitals?since=${toTime(9)}&until=${toTime(2)}`)
  const [, day, month] = new Date(Date.now() - 32 * 86_400_000).toUTCString().split(' ')
  t.match(body, new RegExp(`p75 of all pages, ${Number(day)} ${month} [\\d:]+ to `))
})

t.test('traces have pages in both directions, without scripts', async (t) => {
  const { get, admin } = await openInbox(t, seedShowcase)
  const tracesOf = (body: string) => [...body.matchAll(/href="\/inbox\/traces\/(\w{32})/g)].map(([, id]) => id)
  for (const order of ['', '&sort=slowest']) {
    const addresses: string[] = []
    const pages: string[] = []
    for (let href: string | undefined = `/inbox/traces?range=7d${order}`; href && pages.length < 4;) {
      addresses.push(href)
      const body = await get(href)
      pages.push(body)
      href = hrefIn(body, 'next')
    }
    t.equal(pages.length, 4)
    t.equal(new Set(pages.flatMap(tracesOf)).size, 120, 'no trace is listed twice')
    let body = pages.at(-1)!
    for (const [i, page] of pages.entries().toArray().toReversed().slice(1)) {
      t.match(body, />Previous<\/a>/)
      body = await get(hrefIn(body, 'prev')!)
      t.same(tracesOf(body), tracesOf(page), `page ${i + 1}`)
      t.equal(placeIn(body), placeIn(page))
      t.equal(hrefIn(body, 'next'), hrefIn(page, 'next'))
    }
    t.equal(hrefIn(body, 'prev'), undefined)
    const lost = await get(addresses[3]!.replace(/&back=[^&]*/, ''))
    t.match(lost, />First page<\/a>/, 'the first page, if the pages between are unknown')
    t.match(hrefIn(lost, 'prev'), /^\/inbox\/traces\?[^=]*(=slowest&range)?=7d$/)
    for (const back of ['%27', '1-1.'.repeat(41) + '1-1'])
      t.equal((await admin.get(`${addresses[1]!}&back=${back}`)).statusCode, 400)
  }
})

t.test('traces with a duration of 0 have a bar', async (t) => {
  const { get } = await openInbox(t, (store) => {
    addLongTrace(store, 1)
    store.run('UPDATE span SET duration = 0')
  })
  t.match(await get('/inbox/traces'), '<rect width="0.5%"')
})

t.test('an unknown or invalid trace id is not found', async (t) => {
  const { admin } = await openInbox(t, () => {})
  for (const id of ['0'.repeat(32), 'x', "1' OR 1", 'a'.repeat(2_000)])
    t.equal((await admin.get(`/inbox/traces/${encodeURIComponent(id)}`)).statusCode, 404, id.slice(0, 40))
})

t.test('a trace has a row for each span, and the attributes of the selected span', async (t) => {
  const { get, admin } = await openInbox(t, (store) => addLongTrace(store))
  const path = `/inbox/traces/${LONG_TRACE}`
  const body = await get(path)
  t.equal(body.match(/class="waterfall-row"/g)!.length, 1_000)
  t.match(body, /pageload<\/bdi><\/span><span class="visually-hidden"> \/long, 1 s, starts after 0 ms/)
  t.ok(body.indexOf('aria-label="Client"') < body.indexOf('aria-label="Server"'))
  t.notMatch(body, '/step/7', 'only the attributes of the selected span')
  const open = await get(`${path}?span=${'7'.padStart(16, '0')}`)
  t.match(open, '/step/7')
  t.match(open, 'aria-current="true"')
  t.notMatch(await get(`${path}?span=none`), 'span-panel')
  t.ok((await admin.get(`/-/data${path}`)).body.length < 400_000)
})

t.test('a trace with very many errors and log lines says that it does not show all of them', async (t) => {
  const now = Date.now()
  const fill = (count: number) => (store: Store) => {
    addLongTrace(store, 4)
    store.run(
      `INSERT INTO issue (id, project, type, value, culprit, level, side, first_seen, last_seen)
       VALUES (1, 1, 'TypeError', 'it', '', 'error', 'browser', 1, 1)`
    )
    for (let i = 0; i < count; i++) {
      store.run(
        `INSERT INTO event (project, event_id, issue, key, at, received, level, environment, trace_id)
         VALUES (1, ?, 1, 1, ?, ?, 'error', '', ?)`,
        `e${i}`,
        now,
        now,
        LONG_TRACE
      )
      store.run(
        "INSERT INTO log (project, at, received, level, trace_id, body, attributes) VALUES (1, ?, ?, 'info', ?, 'x', '{}')",
        now,
        now,
        LONG_TRACE
      )
    }
  }
  const path = `/inbox/traces/${LONG_TRACE}`
  const all = await (await openInbox(t, fill(200))).get(path)
  t.match(all, '>200 errors<')
  t.notMatch(all, 'The first 200')
  const cut = await (await openInbox(t, fill(201))).get(path)
  t.match(cut, '>more than 200 errors<')
  t.match(cut, /The first 200 errors are shown.*The first 200 lines are shown/s)
})

t.test('shows data of clients as text', async (t) => {
  const { get } = await openInbox(t, (store) => {
    addLongTrace(store, 4)
    store.run(
      'UPDATE span SET name = ?, op = ?, attributes = ?',
      hostile,
      hostile,
      JSON.stringify({ [hostile]: hostile })
    )
    store.run(
      "INSERT INTO log (project, at, received, level, trace_id, body, attributes) VALUES (1, 1, 1, ?, ?, ?, '{}')",
      hostile,
      LONG_TRACE,
      hostile
    )
    const hour = Math.floor(Date.now() / 3_600_000)
    store.run(`INSERT INTO latency_hour VALUES (1, ?, 'server', ?, '', 0, 40, 3, 1)`, hour, hostile)
    store.run(`INSERT INTO vital_hour VALUES (1, ?, 'LCP', ?, '', 0, 40, 3)`, hour, hostile)
    store.run('INSERT INTO release (project, version, first_seen, last_seen) VALUES (1, ?, 1, 1)', hostile)
    store.run(`INSERT INTO drop_hour VALUES (1, ?, 'client', ?, ?, 3)`, hour, hostile, hostile)
  })
  for (const path of [...SCREENS, `/inbox/traces/${LONG_TRACE}?span=${'1'.padStart(16, '0')}`]) {
    const body = await get(path)
    t.match(body, '&lt;img', path)
    const markup = body.replace(/<script[^]*?<\/script>/g, '')
    for (const raw of ['<img', '\u202e', '\0'])
      t.equal(context(markup, raw), undefined, `${path} ${JSON.stringify(raw)}`)
  }
})

t.test('of many routes the most frequent are shown, and a link shows all', async (t) => {
  const { get } = await openInbox(t, (store) => seedInbox(store, { events: 4_000 }))
  const rowsOf = (body: string) => body.match(/class="row-name" href="\/inbox\/traces\?route=/g)!.length
  const few = await get('/inbox/traces?range=30d')
  t.equal(rowsOf(few), 20)
  t.match(few, /href="\/inbox\/traces\?routes=all&amp;range=30d"[^>]*>Show all routes/)
  const all = await get('/inbox/traces?range=30d&routes=all')
  t.equal(rowsOf(all), 40)
  t.notMatch(all, 'Show all routes')
  t.notMatch(all, 'more routes')
})

t.test('the page says if there are more routes than the full table has', async (t) => {
  const hour = Math.floor(Date.now() / 3_600_000)
  const { get } = await openInbox(t, (store) => {
    for (let i = 0; i <= 200; i++)
      store.run(`INSERT INTO latency_hour VALUES (1, ?, 'server', ?, '', 0, 40, 3, 1)`, hour, `/r${i}`)
  })
  t.match(await get('/inbox/traces?routes=all'), 'There are more routes, which are not listed.')
})
