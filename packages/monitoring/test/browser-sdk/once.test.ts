import t, { type Test } from 'tap'
import { launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { monitored, startMonitored } from '@hull/test-helpers/monitored.ts'
import { eventually } from '@hull/test-helpers/patience.ts'

const browser = await launchBrowser(t)
const { origin, provider, errors } = await startMonitored(t)

/** A tab whose errors are expected. */
async function openFailing(t: Test) {
  provider.seen.splice(0)
  const tab = await openTab(t, browser, { origin })
  t.teardown(() => tab.take())
  return tab
}

/** The outermost error of each event, after waiting long enough for a second report. */
async function reported(): Promise<string[]> {
  await eventually(() => errors().length)
  await new Promise((resolve) => setTimeout(resolve, 700))
  return errors().map(({ exception }) => exception!.values!.at(-1)!.value!)
}

t.test('an error while hydrating that the boundary shows is reported once, also after "Try again"', async (t) => {
  const { page, open } = await openFailing(t)
  await open('/hydrating?how=always')
  await monitored(page)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Hydrated' }).waitFor()
  t.same(await reported(), ['while hydrating'])
})

t.test('an error while hydrating that React recovers from is reported once', async (t) => {
  const { page, open } = await openFailing(t)
  await open('/hydrating?how=once')
  await page.getByRole('heading', { name: 'Hydrated' }).waitFor()
  await monitored(page)
  t.match(await reported(), [/#422/])
  t.equal(errors().length, 1)
})

for (const isFrozen of [false, true])
  t.test(`an error while hydrating that no boundary shows is reported once, frozen: ${isFrozen}`, async (t) => {
    const { page, open } = await openFailing(t)
    await page.addInitScript((isFrozen) => {
      // Called by each boundary that catches an error.
      console.error = () => {
        const error = new Error('beyond every boundary')
        throw isFrozen ? Object.freeze(error) : error
      }
    }, isFrozen)
    await open('/hydrating?how=always')
    await page.getByRole('alert').waitFor()
    await monitored(page)
    t.same(await reported(), ['beyond every boundary'])
  })
