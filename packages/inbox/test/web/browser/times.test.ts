import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, until } from '@hull/test-helpers/browser.ts'
import { seedFolder, sendEvents, thrown } from '../../helpers/screens.ts'
import { openInboxTab } from '../../helpers/tab.ts'

const browser = await launchBrowser(t)
const { app, origin } = await createListeningApp(t, { env: seedFolder(t) })

/** A time zone whose offset from UTC includes half an hour. */
const INDIA = { timezoneId: 'Asia/Kolkata' }

t.test('times are in the viewer’s time zone, with UTC in the title', async (t) => {
  const { page, open } = await openInboxTab(t, browser, { app, origin, ...INDIA })
  await open('/inbox/settings/storage')
  await hydrated(page)
  const time = page.locator('main time', { hasText: 'UTC+5:30' }).first()
  await time.waitFor()
  const [at, title] = [await time.getAttribute('datetime'), await time.getAttribute('title')]
  t.equal(title, `${at!.slice(0, 19).replace('T', ' ')} UTC`)
  const local = new Date(Date.parse(at!) + 5.5 * 3_600_000).toISOString()
  t.equal(await time.innerText(), `${local.slice(0, 19).replace('T', ' ')} UTC+5:30`)
  await open('/inbox')
  await page.locator('.chart-readout', { hasText: 'Times in UTC+5:30' }).waitFor()
  await open('/inbox/traces')
  await page.locator('.heat-times', { hasText: 'UTC+5:30' }).waitFor()
  await open('/inbox/settings/alerts/thresholds')
  await page
    .getByRole('cell', { name: /since \d\d:30 UTC\+5:30$/ })
    .first()
    .waitFor()
  await open('/inbox/settings/alerts/thresholds/2')
  await page.locator('dd', { hasText: /since \d\d:30 UTC\+5:30$/ }).waitFor()
})

t.test('without scripts times are in UTC, and say so', async (t) => {
  const { page, open } = await openInboxTab(t, browser, { app, origin, ...INDIA, javaScriptEnabled: false })
  await open('/inbox/settings/storage')
  t.match(
    await page.locator('main time', { hasText: 'UTC' }).first().innerText(),
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/
  )
  await open('/inbox')
  t.match(await page.locator('.chart-readout').innerText(), 'Times in UTC')
  await open('/inbox/issues')
  t.equal(await page.getByText('Until tomorrow, 06:00 UTC').count(), 1)
})

t.test('a time range is entered in the viewer’s time zone, and sent in UTC', async (t) => {
  const { page, open } = await openInboxTab(t, browser, { app, origin, ...INDIA })
  const {
    page: plain,
    open: openPlain,
    press
  } = await openInboxTab(t, browser, {
    app,
    origin,
    ...INDIA,
    javaScriptEnabled: false
  })
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const address = `/inbox/issues?since=${day}T04:00&until=${day}T06:00`
  await open(address)
  await hydrated(page)
  await page.locator('summary', { hasText: 'Time' }).click()
  const from = page.getByLabel('From (UTC+5:30)')
  t.equal(await from.inputValue(), `${day}T09:30`)
  await from.fill(`${day}T10:00`)
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.waitForURL(/T04%3A30/)
  const { searchParams } = new URL(page.url())
  t.same([searchParams.get('since'), searchParams.get('until')], [`${day}T04:30`, `${day}T06:00`])

  await openPlain(address)
  await plain.locator('summary', { hasText: 'Time' }).click()
  t.equal(await plain.getByLabel('From (UTC)').inputValue(), `${day}T04:00`)
  await plain.getByLabel('From (UTC)').fill(`${day}T05:00`)
  await press(plain.getByRole('button', { name: 'Show', exact: true }))
  t.equal(new URL(plain.url()).searchParams.get('since'), `${day}T05:00`)
})

t.test('the home page has the start time in the visitor’s time zone, and in UTC without scripts', async (t) => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, open } = await openInboxTab(t, browser, { app, origin, ...INDIA, javaScriptEnabled })
    await open('/')
    const fact = page.locator('.facts [title^="since "]').first()
    if (javaScriptEnabled) await page.locator('[title$="UTC+5:30"]').waitFor()
    const title = (await fact.getAttribute('title'))!
    const [, local, zone] = /^since (\S+ \S+) (UTC\S*)$/.exec(title)!
    t.equal(zone, javaScriptEnabled ? 'UTC+5:30' : 'UTC')
    const started = Date.parse(`${local!.replace(' ', 'T')}Z`) - (javaScriptEnabled ? 5.5 * 3_600_000 : 0)
    t.ok(Math.abs(started - (Date.now() - process.uptime() * 1_000)) < 60_000)
  }
})

t.test('after going back, ages are relative to the current time', async (t) => {
  const { page, open } = await openInboxTab(t, browser, { app, origin })
  await page.clock.install()
  await sendEvents(app, [thrown('AgedError')])
  await open('/inbox/issues?q=AgedError')
  await hydrated(page)
  await page.locator('[data-row-link]').first().click()
  await page.getByRole('heading', { name: 'Stack' }).waitFor()
  await page.clock.fastForward('10:00')
  await page.goBack()
  await until(page, () => document.querySelector('[data-row] td:last-child')?.textContent === '10 min ago')
})

t.test('"Until tomorrow" ends in the morning of the viewer', async (t) => {
  const { page, open } = await openInboxTab(t, browser, { app, origin, ...INDIA })
  await open('/inbox/issues?q=is%3Aunresolved')
  await page.locator('[data-row] a[data-row-link]').first().click()
  await page.getByRole('heading', { name: 'Stack' }).waitFor()
  await hydrated(page)
  const id = Number(new URL(page.url()).pathname.split('/').at(-1))
  await page.locator('summary', { hasText: 'More ways to ignore' }).first().click()
  await page.getByRole('button', { name: 'Until tomorrow, 06:00', exact: true }).click()
  await until(page, () => document.querySelector('main')!.textContent.includes('06:00:00 UTC+5:30'))
  const { ignoredUntil = 0 } = await app.inbox!.queries.getIssue({ id })
  t.match(new Date(ignoredUntil).toISOString(), /T00:30:00\.000Z$/)
  t.ok(ignoredUntil > Date.now() && ignoredUntil <= Date.now() + 2 * 86_400_000)
})

t.test('a chart shows values for pointer, key and touch, and keeps its size', async (t) => {
  const { page, open } = await openInboxTab(t, browser, { app, origin, ...INDIA, hasTouch: true })
  const charts = [
    { path: '/inbox', figure: /Errors\s+\d/, more: /INP, p75[\s\S]*LCP, p75/ },
    { path: '/inbox/traces', figure: /Requests\s+\d/, more: /Most\s+(up to|–)[\s\S]*Longest/ }
  ]
  for (const { path, figure, more, width } of charts.flatMap((chart) =>
    [1280, 390].map((width) => ({ ...chart, width }))
  )) {
    await page.setViewportSize({ width, height: 900 })
    await open(path)
    await hydrated(page)
    const readout = page.locator('.chart-readout')
    const reader = page.getByRole('slider')
    const { height } = (await readout.boundingBox())!
    const idle = await readout.innerText()
    t.match(idle, /Times in/)
    await reader.scrollIntoViewIfNeeded()
    const chart = (await reader.boundingBox())!
    const [x, y] = [chart.x + chart.width * 0.9, chart.y + chart.height / 2]
    await page.mouse.move(x, y)
    const pointed = await readout.innerText()
    t.match(pointed, /UTC\+5:30/)
    t.notMatch(pointed, 'Times in')
    t.match(pointed, figure)
    t.match(pointed, more, 'all values')
    t.equal((await readout.boundingBox())!.height, height, 'the row keeps its height')
    await page.mouse.move(x, 1)
    t.equal(await readout.innerText(), idle)

    await reader.focus()
    await page.keyboard.press('End')
    const last = await reader.getAttribute('aria-valuetext')
    await page.keyboard.press('ArrowLeft')
    const before = await reader.getAttribute('aria-valuetext')
    t.match(before, /UTC\+5:30; (Errors|Requests): /)
    t.not(before, last)
    // The keys that a screen reader names for a slider.
    await page.keyboard.press('ArrowUp')
    t.equal(await reader.getAttribute('aria-valuetext'), last)
    await page.keyboard.press('ArrowDown')
    t.equal(await reader.getAttribute('aria-valuetext'), before)

    await page.touchscreen.tap(chart.x + 20, y)
    t.not(await reader.getAttribute('aria-valuetext'), before)
    t.notMatch(await readout.innerText(), 'Times in', 'the value is shown until the next input')
  }
})

t.test('a release that two projects have is drawn once, also after a change of the range', async (t) => {
  const release = { version: 'shared', projects: [1, 2], environment: 'production' }
  await app.inbox!.changes.declareRelease({ ...release, creates: true, at: Date.now() })
  await app.inbox!.changes.addDeploy({ ...release, finished: Date.now() })
  const { page, open } = await openInboxTab(t, browser, { app, origin })
  await open('/inbox?range=7d')
  await hydrated(page)
  for (const range of ['24 hours', 'hour']) {
    await page.locator('.inbox-pickers .menu').last().locator('summary').click()
    await page.getByRole('link', { name: `Last ${range}` }).click()
    await page.getByRole('heading', { name: `Overview, last ${range}` }).waitFor()
    const titles = await page.locator('.lanes-axis title').allTextContents()
    t.equal(titles.filter((title) => title.startsWith('Release shared')).length, 1, `last ${range}`)
  }
})
