import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { untilArrived, follow, readPage, untilEqual, readSettledPage } from '@hull/test-helpers/navigation.ts'
import { buildFixtureSite, buildSite } from '@hull/test-helpers/site.ts'

const browser = await launchBrowser(t)
const { origin } = await createListeningApp(t, { site: await buildFixtureSite() })

/** Links, with the path and text of the page that they lead to. */
const ADDRESSES: Array<[href: string, end: string, text: string]> = [
  ['/items/a%2Fb', '/items/a%2Fb', 'Item "a/b"'],
  ['/items/%252F', '/items/%252F', 'Item "%2F"'],
  ['/docs/../items/7', '/items/7', 'Item "7"'],
  ['/docs/a/%2e%2e/b', '/docs/b', 'Docs ["b"]'],
  ['/items/Grüße 東京', '/items/Gr%C3%BC%C3%9Fe%20%E6%9D%B1%E4%BA%AC', 'Item "Grüße 東京"'],
  ['/items/Gr%C3%BC%C3%9Fe', '/items/Gr%C3%BC%C3%9Fe', 'Item "Grüße"'],
  ['/items/%F0%9F%90%8B', '/items/%F0%9F%90%8B', 'Item "🐋"'],
  ['/items/<script>"\'&', "/items/%3Cscript%3E%22'&", 'Item "<script>'],
  ['/items/__proto__', '/items/__proto__', 'Item "__proto__"'],
  [`/items/${'x'.repeat(2_000)}`, `/items/${'x'.repeat(2_000)}`, 'Item "xxx'],
  ['/items/7/', '/items/7', 'Item "7"'],
  ['/items/7/?a=b#c', '/items/7?a=b#c', 'Item "7"'],
  ['/docs//a', '/docs//a', '404'],
  ['/items/7?a=%E0%A4%A', '/items/7?a=%E0%A4%A', 'Item "7"'],
  ['/ITEMS/7', '/ITEMS/7', '404'],
  ['/shop', '/shop', 'Shop []']
]

t.test('a document and a navigation show the same for', async (t) => {
  const byDocument = await openTab(t, browser, { origin })
  const byNavigation = await openTab(t, browser, { origin })
  await byNavigation.open('/')
  await hydrated(byNavigation.page)
  for (const [href, end, text] of ADDRESSES) {
    t.test(href.slice(0, 60), async (t) => {
      await byDocument.page.goto(origin + href)
      const look = await readSettledPage(byDocument.page)
      t.equal(look.address, end)
      t.match(look.text, text)
      await follow(byNavigation.page, href)
      await untilEqual(byNavigation.page, look)
      t.same(await readPage(byNavigation.page), look)
    })
  }
  t.test('a navigation loads no document', async (t) => {
    t.same(byNavigation.pathsOf('document'), ['/'])
    byDocument.seen(404)
    byNavigation.seen(404)
  })
})

t.test('a path that cannot be decoded is left to the server', async (t) => {
  const { page, open, pathsOf, seen } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await follow(page, '/items/%E0%A4%A')
  await untilArrived(page, '/items/%E0%A4%A', 'Bad Request')
  t.same(pathsOf('document'), ['/', '/items/%E0%A4%A'])
  seen(400)
})

t.test('a path that begins with two slashes is on this origin', async (t) => {
  const { page, open, requests, seen } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await follow(page, `${origin}//evil.example/path`)
  await untilArrived(page, '//evil.example/path', 'Not found')
  t.equal(page.url(), `${origin}//evil.example/path`)
  t.same(
    requests.filter((request) => !request.url().startsWith(origin)),
    []
  )
  seen(404)
})

t.test('page data of five million characters is shown, and kept', async (t) => {
  const { page, open, pathsOf } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  for (const size of ['5000000', '5000001']) {
    await follow(page, `/large?size=${size}`)
    await until(page, (wanted) => document.querySelector('p')?.textContent === wanted, size)
  }
  await page.goBack()
  await until(page, () => document.querySelector('p')?.textContent === '5000000')
  t.same(pathsOf('document'), ['/'])
})

t.test('history entries of other code or of an older build work', async (t) => {
  const { page, open, pathsOf } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await follow(page, '/items/1')
  await untilArrived(page, '/items/1', 'Item "1"')
  const states = [null, 'a string', 7, ['key'], { key: 7 }, { key: 'of an older build' }, { usr: {}, idx: 3, key: '' }]
  for (const [i, state] of states.entries()) {
    await page.evaluate(([value, url]) => history.pushState(value, '', url as string), [state, `/items/made-${i}`])
  }
  await follow(page, '/items/2')
  await untilArrived(page, '/items/2', 'Item "2"')

  for (let i = states.length - 1; i >= 0; i--) {
    await page.goBack()
    await untilArrived(page, `/items/made-${i}`, `Item "made-${i}"`)
  }
  await page.goBack()
  await untilArrived(page, '/items/1', 'Item "1"')
  for (const i of states.keys()) {
    await page.goForward()
    await untilArrived(page, `/items/made-${i}`, `Item "made-${i}"`)
  }
  await page.goForward()
  await untilArrived(page, '/items/2', 'Item "2"')
  t.same(pathsOf('document'), ['/'])
})

t.test('a form is posted to a route of the application, also if a page with parameters matches its path', async (t) => {
  const { origin } = await createListeningApp(t, {
    site: await buildSite(
      t.testdir({
        layouts: {},
        pages: {
          'index.tsx': `export const layout = null
            export default () => <><h1>Home</h1><form method="post" action="/orders/export"><button>Export</button></form></>`,
          'done.tsx': `export const layout = null\nexport default () => <h1>Done</h1>`,
          orders: { '[id].tsx': `export const layout = null\nexport default () => <h1>Order</h1>` }
        }
      })
    ),
    prepare: (app) =>
      void app.register(async (scope) => {
        scope.addContentTypeParser('application/x-www-form-urlencoded', (_request, _body, done) => done(null))
        scope.post('/orders/export', (_request, reply) => reply.redirect('/done', 303))
      })
  })
  const { page, open } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await page.getByRole('button', { name: 'Export' }).click()
  await untilArrived(page, '/done', 'Done')
})

t.test('a link leads to a route of the application, also if a page with parameters matches its path:', async (t) => {
  const { origin } = await createListeningApp(t, {
    site: await buildSite(
      t.testdir({
        layouts: {},
        pages: {
          'index.tsx': `export const layout = null\nexport default () => <h1>Home</h1>`,
          orders: {
            '[id].tsx': `export const layout = null
            export const getData = ({ params }) => ({ id: params.id })
            export default ({ data }) => <h1>Order {data.id}</h1>`
          }
        }
      })
    ),
    prepare: (app) => {
      app.get('/orders/report.csv', (_request, reply) =>
        reply.type('text/csv').header('content-disposition', 'attachment; filename="report.csv"').send('id\r\n7')
      )
      app.get('/orders/print', (_request, reply) =>
        reply.type('text/html').send('<!doctype html><title>Print</title><h1>Print</h1>')
      )
    }
  })
  const { page, open, pathsOf, take } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)

  t.test('a file is downloaded, and the page is still shown', async (t) => {
    const [download] = await Promise.all([page.waitForEvent('download'), follow(page, '/orders/report.csv')])
    t.equal(download.suggestedFilename(), 'report.csv')
    t.equal(await page.textContent('h1'), 'Home')
    t.equal(page.url(), `${origin}/`)
  })

  t.test('the page still has its other paths', async () => {
    await follow(page, '/orders/7')
    await untilArrived(page, '/orders/7', 'Order 7')
  })

  t.test('HTML of a route is loaded as a document', async (t) => {
    await follow(page, '/orders/print')
    await untilArrived(page, '/orders/print', 'Print')
    t.equal(pathsOf('document').at(-1), '/orders/print')
  })

  t.test('the browser reports only the missing page data, and requests whose body it did not read', async (t) => {
    for (const problem of await take()) t.match(problem, /status of 404.*\/-\/data\/|net::ERR_ABORTED/)
  })
})
