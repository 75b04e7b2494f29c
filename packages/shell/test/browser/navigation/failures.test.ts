import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { untilArrived, follow } from '@hull/test-helpers/navigation.ts'
import { buildFixtureSite, buildSite } from '@hull/test-helpers/site.ts'

const browser = await launchBrowser(t)
const isError = (problem: string) => problem.startsWith('console: Error')
const site = await buildFixtureSite()

t.test('"Try again" after an error of a navigation', async (t) => {
  const { origin, logs } = await createListeningApp(t, { site })
  const { page, open, seen, pathsOf } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await page.evaluate(() => {
    document.querySelector('.frame')!.id = 'kept'
  })
  await follow(page, '/fail/until-repaired?a=b#c')
  await untilArrived(page, '/fail/until-repaired?a=b#c', 'Application error')
  const digest = () => page.locator('.digest').innerText()
  const first = await digest()
  t.equal(first, `Digest: ${logs.takeErrors()[0]?.digest}`)

  await page.getByRole('button', { name: 'Try again' }).click()
  await until(page, (last) => document.querySelector('.digest')?.textContent !== last, first)
  t.equal(await digest(), `Digest: ${logs.takeErrors()[0]?.digest}`, 'shows the digest of the new error')

  await page.context().addCookies([{ name: 'repaired', value: 'yes', url: origin }])
  await page.getByRole('button', { name: 'Try again' }).click()
  await untilArrived(page, '/fail/until-repaired?a=b#c', 'Repaired')
  t.equal(await page.title(), 'Repaired')
  t.equal(await page.locator('#kept').count(), 1, 'inside the layout, which was not replaced')
  t.same(pathsOf('document'), ['/'])
  t.equal(pathsOf('fetch').length, 3)
  await page.goBack()
  await untilArrived(page, '/', 'Home')
  seen(500)
})

t.test('a hydration mismatch is rendered again in the browser, and reported once', async (t) => {
  const { origin } = await createListeningApp(t, { site })
  const { page, open, takeFirst } = await openTab(t, browser, { origin })
  await open('/fail/mismatch')
  await page.getByRole('heading', { name: 'In the browser' }).waitFor()
  const problems = await takeFirst()
  t.equal(problems.length, 1)
  t.match(problems[0], /^uncaught: .*#418/)
  await follow(page, '/')
  await untilArrived(page, '/', 'Home')
})

t.test('a part that fails late, and a component that fails, are shown as an error inside the layout', async (t) => {
  const { origin, logs } = await createListeningApp(t, { site, env: { RENDER_TIMEOUT: '1s' } })
  const { page, open, take, pathsOf } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  for (const path of ['/fail/late', '/stream?late=never']) {
    await follow(page, path)
    await untilArrived(page, path, 'Application error')
    t.equal(await page.title(), 'Application error')
    t.equal(await page.locator('.digest').innerText(), `Digest: ${logs.takeErrors()[0]?.digest}`)
  }
  for (const path of ['/fail/component', '/fail/suspense', '/fail/layout']) {
    await follow(page, path)
    await untilArrived(page, path, 'Application error')
    t.equal(await page.title(), 'Application error')
    t.equal(await page.locator('.digest').count(), 0, 'no digest, because the server does not know the error')
    t.equal(await page.locator('meta[name=robots]').getAttribute('content'), 'noindex')
    await follow(page, '/')
    await untilArrived(page, '/', 'Home')
  }
  t.same(pathsOf('document'), ['/'])
  const problems = (await take()).filter((line) => !line.includes('net::ERR_ABORTED'))
  t.equal(problems.length, 5, 'each error is reported once')
  t.ok(
    problems.every((line) => line.startsWith('console: ')),
    problems.join('\n')
  )
})

t.test('a part that failed late is requested again by the next visit', async (t) => {
  const { origin, logs } = await createListeningApp(t, {
    site: await buildSite(
      t.testdir({
        layouts: {},
        pages: {
          'index.tsx': `export const layout = null\nexport default () => <h1>Home</h1>`,
          'static.tsx': `import { use } from 'react'
            export const layout = null
            export const streaming = true
            export const staticData = true
            export const getData = () => ({ late: Promise.reject(new Error('late')) })
            const Late = ({ late }) => use(late)
            export default ({ data }) => <h1>Static <Late late={data.late} /></h1>`
        }
      })
    )
  })
  const { page, open, take } = await openTab(t, browser, { origin })
  const digest = () => page.locator('.digest').innerText()
  const isOfLog = async () => t.equal(await digest(), `Digest: ${logs.takeErrors()[0]?.digest}`)
  await open('/')
  await hydrated(page)
  await follow(page, '/static')
  await untilArrived(page, '/static', 'Application error')
  await isOfLog()
  await page.goBack()
  await untilArrived(page, '/', 'Home')
  await page.goForward()
  await untilArrived(page, '/static', 'Application error')
  await isOfLog()
  await follow(page, '/')
  await untilArrived(page, '/', 'Home')
  await follow(page, '/static')
  await untilArrived(page, '/static', 'Application error')
  await isOfLog()
  await take()
})

t.test(
  'a fallback that fails is replaced by the error message, inside the layout, and navigations still work',
  async (t) => {
    const broken = `export default () => { throw new Error('the fallback is broken') }`
    const { origin, logs } = await createListeningApp(t, {
      site: await buildSite(
        t.testdir({
          layouts: {},
          fallbacks: { 'error.tsx': broken },
          pages: {
            'index.tsx': `export const layout = null\nexport default () => <h1>Home</h1>`,
            'document.tsx': `export const layout = null\nexport const serverOnly = true\nexport default () => { throw new Error('on the server') }`,
            'fail.tsx': `export const layout = null\nexport default () => {\n  if (typeof window !== 'undefined') throw new Error('in the browser')\n  return <h1>Page</h1>\n}`
          }
        })
      )
    })
    const { page, open, seen, take, takeFirst, pathsOf } = await openTab(t, browser, { origin })
    await open('/fail')
    await page
      .getByRole('alert')
      .filter({ hasText: /^Application error: a client-side/ })
      .waitFor()
    t.match((await takeFirst()).slice(0, 2), [/the fallback is broken/, /in the browser/])

    await open('/')
    await hydrated(page)
    await follow(page, '/fail')
    await untilArrived(page, '/fail', 'Application error: a client-side')
    t.same(pathsOf('document'), ['/fail', '/'])
    t.match((await take()).filter(isError), [/the fallback is broken/, /in the browser/])
    await page.goBack()
    await until(page, () => document.querySelector('h1')?.textContent === 'Home')

    await follow(page, '/document')
    await untilArrived(page, '/document', 'Application error: a client-side')
    t.equal(logs.takeErrors().length > 0, true)
    seen(500)
  }
)
