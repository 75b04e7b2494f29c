import t from 'tap'
import { failed, startBreaking } from '@hull/test-helpers/breaking.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { follow } from '@hull/test-helpers/navigation.ts'

const browser = await launchBrowser(t)
const { origin, logs } = await startBreaking(t)

t.test('a redirect that is refused ends in the error page, inside an interactive layout:', async (t) => {
  const { page, open, take, requests } = await openTab(t, browser, { origin })
  for (const what of ['script', 'elsewhere'])
    for (const where of ['render', 'effect', 'late', 'transition'])
      for (const way of ['document', 'navigation'])
        t.test(`${what}, thrown ${where === 'late' ? 'by a promise' : `in ${where}`}, by ${way}`, async (t) => {
          const path = `/thrown/${where}/${what}`
          requests.length = 0
          await open(way === 'document' ? path : '/')
          if (way === 'navigation') {
            await hydrated(page)
            await follow(page, path)
          }
          if (where === 'transition') {
            await page.waitForURL(`**${path}`)
            await hydrated(page)
            await page.getByRole('button', { name: 'in a transition' }).click()
          }
          await failed(page)
          t.equal(new URL(page.url()).pathname, path)
          t.equal(await page.title(), 'Application error')
          await page.getByRole('button', { name: 'alive 0' }).click()
          await page.getByRole('button', { name: 'alive 1' }).waitFor()
          t.equal(await page.getByRole('button', { name: 'Try again' }).count(), 1)

          const problems = (await take()).filter((line) => !line.includes('net::ERR_ABORTED'))
          t.equal(problems.length, 1, problems.join('\n'))
          if (where === 'late') {
            // The server refuses the redirect.
            const [error, ...rest] = logs.takeErrors()
            t.match(error, { err: { code: 'APP_REDIRECT_UNSAFE' } })
            t.same(rest, [])
            t.equal(await page.locator('.digest').innerText(), `Digest: ${error!.digest}`)
          } else t.match(problems[0], /^console: APP_REDIRECT_UNSAFE: Redirect to (javascript:alert|https:\/\/other)/)
          t.same(
            requests.filter((request) => !request.url().startsWith(origin)),
            []
          )
        })
})

t.test('a redirect to a query is relative to the page that throws it', async (t) => {
  const { page, open, take } = await openTab(t, browser, { origin })
  for (const where of ['render', 'effect', 'late'])
    for (const way of ['document', 'navigation']) {
      const path = `/thrown/${where}/query`
      await open(way === 'document' ? path : '/page/1')
      if (way === 'navigation') {
        await hydrated(page)
        await follow(page, path)
      }
      await page.waitForURL(`**${path}?done`)
      await page.getByRole('heading', { name: 'Thrown' }).waitFor()
      const problems = (await take()).filter((line) => !line.includes('net::ERR_ABORTED'))
      t.same(problems, [])
    }
})

t.test('a redirect to the home page is followed from all of these places', async (t) => {
  const { page, open, take } = await openTab(t, browser, { origin })
  for (const where of ['render', 'effect', 'late', 'transition'])
    for (const way of ['document', 'navigation']) {
      const path = `/thrown/${where}/home`
      await open(way === 'document' ? path : '/page/1')
      if (way === 'navigation') {
        await hydrated(page)
        await follow(page, path)
      }
      if (where === 'transition') {
        await page.waitForURL(`**${path}`)
        await hydrated(page)
        await page.getByRole('button', { name: 'in a transition' }).click()
      }
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      t.equal(new URL(page.url()).pathname, '/')
      const problems = (await take()).filter((line) => !line.includes('net::ERR_ABORTED'))
      t.same(problems, [])
    }
})
