// Runs in a process of its own: it initializes the SDK of its process.
import * as Sentry from '@sentry/node'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { stored } from '@hull/test-helpers/inbox.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { hrefIn, openScreens, placeIn, sendItems } from '../../helpers/screens.ts'
import { createSdk } from '../../helpers/sdk.ts'

t.test('a job that the SDK monitors has a page with its schedule and its runs', async (t) => {
  const env = { DATA_DIR: createFolder(t), INBOX_PASSWORD }
  const { app, origin } = await createListeningApp(t, { env })
  const admin = await signIn(app)
  const send = createSdk(t, { app, origin })
  t.match((await admin.get('/inbox/monitors')).body, 'No monitors yet')
  t.match(
    (await admin.get('/inbox/monitors?environment=staging')).body,
    /No matching monitors.*"\/inbox\/monitors">Show all monitors/s
  )
  const schedule = { type: 'crontab', value: '0 3 * * *' } as const
  await send(async () => {
    await Sentry.withMonitor('nightly', async () => 1, { schedule, timezone: 'Europe/Berlin' })
    const checkInId = Sentry.captureCheckIn({ monitorSlug: 'import', status: 'in_progress' })
    Sentry.captureCheckIn({ checkInId, monitorSlug: 'import', status: 'error', duration: 90 })
  })
  await stored(app, 'check_in', 4)
  const list = (await admin.get('/inbox/monitors')).body
  t.match(list, /import[\s\S]*Failed[\s\S]*No schedule[\s\S]*nightly[\s\S]*OK[\s\S]*0 3 \* \* \*[\s\S]*Europe\/Berlin/)
  const page = (await admin.get(/\/inbox\/monitors\/\d+/.exec(list)![0])).body
  t.match(page, /1 run, median 1\.5 min[\s\S]*Failed[\s\S]*1\.5 min[\s\S]*Delete monitor now/)
})

t.test('an admin deletes a monitor, and the next check-in creates it again', async (t) => {
  const { app, admin } = await openScreens(t)
  const checkIn = { check_in_id: '1'.repeat(32), monitor_slug: `<b>"'job`, status: 'ok' }
  await sendItems(app, [[{ type: 'check_in' }, checkIn]])
  await stored(app, 'check_in')
  const list = (await admin.get('/inbox/monitors')).body
  t.match(list, '&lt;b&gt;&quot;&#x27;job')
  t.notMatch(list, '<b>"')
  t.equal((await admin.post('/inbox/monitors/1', { intent: 'delete' })).statusCode, 303)
  t.equal((await admin.get('/inbox/monitors/1')).statusCode, 404)
  t.equal((await admin.get('/inbox/monitors/x')).statusCode, 404)
  t.equal((await app.inject({ url: '/inbox/monitors/2' })).statusCode, 401)
})

t.test('the maximum run time of a monitor is shown in minutes', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  const schedule = { type: 'interval', value: 1, unit: 'day' }
  const monitor_config = { schedule, max_runtime: 150 }
  await sendItems(app, [
    [{ type: 'check_in' }, { check_in_id: '1'.repeat(32), monitor_slug: 'slow', status: 'ok', monitor_config }]
  ])
  await stored(app, 'check_in')
  const { body } = await admin.get('/inbox/monitors/1')
  t.match(body, 'Maximum run time</dt><dd>150 min<')
})

t.test('monitors and releases of several projects show their project', async (t) => {
  const { admin } = await openScreens(t)
  for (const screen of ['monitors', 'releases']) {
    const rowOf = async (query: string) =>
      (await admin.get(`/inbox/${screen}${query}`)).body.split('<tbody>')[1]!.split('</th>')[0]
    t.match(await rowOf(''), '<bdi>Shop</bdi>', screen)
    t.notMatch(await rowOf('?project=1'), 'Shop', screen)
  }
})

t.test('the check-ins of a monitor have pages', async (t) => {
  const { admin } = await openScreens(t)
  const first = (await admin.get('/inbox/monitors/2')).body
  t.equal(placeIn(first), '1–50 of 80')
  t.equal(placeIn((await admin.get(hrefIn(first, 'next')!)).body), '51–80 of 80')
  t.match(first, 'Missed 2 times')
  t.equal((await admin.get('/inbox/monitors/2?cursor=x')).statusCode, 400)
})
