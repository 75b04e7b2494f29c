import t, { type Test } from 'tap'
import { launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { monitored, startMonitored } from '@hull/test-helpers/monitored.ts'
import { eventually } from '@hull/test-helpers/patience.ts'

const browser = await launchBrowser(t)
const { origin, provider, errors } = await startMonitored(t)

/** Opens a tab whose errors do not fail the test. */
async function openFailing(t: Test) {
  provider.seen.splice(0)
  const tab = await openTab(t, browser, { origin })
  t.teardown(() => tab.take())
  return tab
}

/** Waits long enough for a second report. @returns the outermost error of each event */
async function reported(): Promise<string[]> {
  await eventually(() => errors().length)
  await new Promise((resolve) => setTimeout(resolve, 700))
  return errors().map(({ exception }) => exception!.values!.at(-1)!.value!)
}

t.test('a hydration error that an error boundary shows is reported once, also after "Try again"', async (t) => {
  const { page, open } = await openFailing(t)
  await open('/hydrating?how=always')
  await monitored(page)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Hydrated' }).waitFor()
  t.same(await reported(), ['while hydrating'])
})

t.test('a hydration error from which React recovers is reported once', async (t) => {
  const { page, open } = await openFailing(t)
  await open('/hydrating?how=once')
  await page.getByRole('heading', { name: 'Hydrated' }).waitFor()
  await monitored(page)
  t.match(await reported(), [/#422/])
  t.equal(errors().length, 1)
})

for (const isFrozen of [false, true])
  t.test(`a hydration error that no error boundary shows is reported once, frozen: ${isFrozen}`, async (t) => {
    const { page, open } = await openFailing(t)
    await page.addInitScript((isFrozen) => {
      // Each error boundary that catches an error calls this.
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
