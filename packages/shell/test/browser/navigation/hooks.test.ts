import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { untilArrived, follow } from '@hull/test-helpers/navigation.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const browser = await launchBrowser(t)
const { origin } = await createListeningApp(t, { site: await buildFixtureSite() })

t.test('useRoute() describes the current page, and useNavigation() the next one', async (t) => {
  const { page, open } = await openTab(t, browser, { origin })
  const markup = await (await open('/where/a%2Fb?c=d&c=e'))!.text()
  t.match(markup, '/where/a%2Fb a/b c=d&amp;c=e A/B', 'also on the server')
  t.match(markup, 'idle nowhere')
  await hydrated(page)
  t.equal(await page.locator('h1').innerText(), '/where/a%2Fb a/b c=d&c=e A/B')

  const recorded = page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const states: string[] = []
        new MutationObserver(() => {
          states.push(`${document.querySelector('h1')!.textContent} | ${document.querySelector('output')!.textContent}`)
          if (states.at(-1)!.endsWith('idle nowhere')) resolve(states)
        }).observe(document.getElementById('root')!, { childList: true, subtree: true, characterData: true })
      })
  )
  await follow(page, '/where/next?wait=300#hash')
  const states = await recorded
  t.equal(states[0], '/where/a%2Fb a/b c=d&c=e A/B | loading /where/next?wait=300#hash')
  t.equal(states.at(-1), '/where/next next wait=300 NEXT | idle nowhere')
})

t.test('useNavigation() is idle again after a navigation is aborted', async (t) => {
  const { page, open, take } = await openTab(t, browser, { origin })
  await open('/where/here')
  await hydrated(page)
  await follow(page, '/where/next?wait=60000')
  await until(page, () => document.querySelector('output')?.textContent?.startsWith('loading') === true)
  await follow(page, '/where/here#hash')
  await until(page, () => document.querySelector('output')?.textContent === 'idle nowhere')
  t.equal(new URL(page.url()).hash, '#hash')
  await follow(page, '/where/other')
  await untilArrived(page, '/where/other', '/where/other other  OTHER')
  t.match(await take(), [/^request failed: .*wait=60000 net::ERR_ABORTED$/], 'the aborted request')
})
