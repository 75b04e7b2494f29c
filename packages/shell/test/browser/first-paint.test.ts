import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { untilArrived, follow } from '@hull/test-helpers/navigation.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const browser = await launchBrowser(t)
const PATHS = ['/', '/lab/items', '/lab/layout/a', '/lab/stream', '/lab/client', '/lab/items/999']

t.test('the first paint', async (t) => {
  const { origin } = await createListeningApp(t)

  t.test('is styled by stylesheets in the head, with no script and no style in the markup', async (t) => {
    const { page, open, pathsOf } = await openTab(t, browser, { origin, javaScriptEnabled: false })
    await open('/lab/items')
    const linked = await page
      .locator('head > link[rel=stylesheet]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')!))
    t.same(pathsOf('stylesheet'), linked)
    t.equal(linked.length, 2, "the stylesheet of the site, and that of the lab, which only the lab's layout imports")
    t.equal(await page.locator('body link, style, [style]').count(), 0)
    const look = await page.evaluate(() => {
      const list = getComputedStyle(document.querySelector('.lab-cards')!)
      const card = getComputedStyle(document.querySelector('.lab-card')!)
      return { display: list.display, bullets: list.listStyleType, border: card.borderBlockStartStyle }
    })
    t.same(look, { display: 'grid', bullets: 'none', border: 'solid' })
  })

  t.test('waits for its stylesheets', async (t) => {
    const { page } = await openTab(t, browser, { origin, javaScriptEnabled: false })
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/*.css', async (route) => {
      await held
      await route.continue()
    })
    await page.goto('/lab/items', { waitUntil: 'commit' })
    await page.waitForTimeout(300)
    const painted = () => page.evaluate(() => performance.getEntriesByType('paint').length)
    t.equal(await painted(), 0)
    release()
    while ((await painted()) === 0) await page.waitForTimeout(50)
    t.pass('the page is painted after the stylesheets')
  })

  for (const path of PATHS) {
    t.test(`of ${path} preloads exactly the modules it runs, each once`, async (t) => {
      const { page, open, pathsOf } = await openTab(t, browser, { origin })
      await page.coverage.startJSCoverage()
      await open(path, path === '/lab/items/999' ? 404 : 200)
      await hydrated(page)
      const preloaded = await page
        .locator('head > link[rel=modulepreload]')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')!))
      const ran = (await page.coverage.stopJSCoverage()).filter(
        ({ url, functions }) => url.includes('/assets/') && functions.some(({ ranges }) => ranges[0]!.count > 0)
      )
      const scripts = pathsOf('script').toSorted()
      t.same(scripts, preloaded.toSorted(), 'each script is preloaded, and requested once')
      t.same(ran.map(({ url }) => new URL(url).pathname).toSorted(), scripts, 'each script runs')
    })
  }
})

t.test(
  'a rule of a page overrides those of its components and layouts, in a document and after a navigation',
  async (t) => {
    const toRoom = (page: string) => `import { Card } from '../components/card.tsx'
    ${page}
    export const layout = 'room'
    export default () => <><h1>Room</h1><Card /><p className="in-room">In it</p></>`
    const folder = t.testdir({
      components: {
        'card.tsx': `import './card.css'\nexport const Card = () => <article className="card">Card</article>`,
        'card.css': '.card { color: rgb(1 1 1) }'
      },
      layouts: {
        'room.tsx': `import './room.css'\nexport default ({ children }) => <main>{children}</main>`,
        'room.css': '.in-room { color: rgb(2 2 2) }'
      },
      pages: {
        'index.tsx': `export const layout = null\nexport default () => <h1>Home</h1>`,
        'plain.tsx': toRoom(''),
        'own.tsx': toRoom("import './own.css'"),
        'own.css': '.card, .in-room { color: rgb(3 3 3) }'
      }
    })
    const { origin } = await createListeningApp(t, { site: await buildSite(folder) })
    const { page, open } = await openTab(t, browser, { origin })
    const colors = () =>
      page.evaluate(() =>
        ['.card', '.in-room'].map((selector) => getComputedStyle(document.querySelector(selector)!).color)
      )
    await open('/own')
    t.same(await colors(), ['rgb(3, 3, 3)', 'rgb(3, 3, 3)'])
    await open('/')
    await hydrated(page)
    await follow(page, '/own')
    await untilArrived(page, '/own', 'Room')
    t.same(await colors(), ['rgb(3, 3, 3)', 'rgb(3, 3, 3)'])
  }
)
