import t from 'tap'
import { hydrated, launchBrowser, until } from '@hull/test-helpers/browser.ts'
import {
  followLink,
  openInteractive,
  pause,
  untilHeading,
  untilInteractive,
  startMoves,
  takeAborted
} from '@hull/test-helpers/moves.ts'

const browser = await launchBrowser(t)

t.test('a link', async (t) => {
  const { origin } = await startMoves(t)
  const open = (t: Parameters<typeof openInteractive>[0]) => openInteractive(t, browser, { origin, at: '/links' })

  for (const [name, query] of [
    ['Plain', 'plain'],
    ['Self', 'self'],
    ['Nested', 'nested'],
    ['From markup', 'from=markup']
  ] as const) {
    t.test(`(${name}) navigates to its page without a document`, async (t) => {
      const tab = await open(t)
      await followLink(tab, name, 'Item 1')
      t.equal(tab.page.url(), `${origin}/item/1?${query}`)
      t.same(tab.pathsOf('document'), [])
    })
  }

  t.test('in a shadow tree, or around a part of one, navigates to its page without a document', async (t) => {
    for (const inside of [true, false]) {
      const tab = await open(t)
      await tab.page.evaluate((isInside) => {
        const host = document.createElement('div')
        const link = Object.assign(document.createElement('a'), { href: '/item/1?shadow', textContent: 'In a shadow' })
        if (isInside) document.querySelector('h1')!.append(host)
        else document.querySelector('h1')!.append(Object.assign(link, { textContent: '' }))
        if (!isInside) link.append(host)
        const root = host.attachShadow({ mode: 'open' })
        root.append(isInside ? link : Object.assign(document.createElement('b'), { textContent: 'In a shadow' }))
      }, inside)
      await tab.page.getByText('In a shadow').click()
      await untilHeading(tab, 'Item 1')
      t.same(tab.pathsOf('document'), [])
    }
  })

  t.test('to a file that the page has made is left to the browser', async (t) => {
    const tab = await open(t)
    await tab.page.evaluate(() => {
      const href = URL.createObjectURL(new Blob(['<h1>Made here</h1>'], { type: 'text/html' }))
      document.querySelector('h1')!.append(Object.assign(document.createElement('a'), { href, textContent: 'Made' }))
    })
    await tab.press(tab.page.getByRole('link', { name: 'Made' }))
    t.equal(await tab.page.locator('h1').innerText(), 'Made here')
    t.same(tab.pathsOf('fetch'), [])
  })

  t.test('opens a tab with a modifier key or the middle button, and the current page stays', async (t) => {
    for (const how of [{ modifiers: ['Control'] }, { modifiers: ['Shift'] }, { button: 'middle' }] satisfies Array<
      Parameters<Awaited<ReturnType<typeof open>>['page']['click']>[1]
    >) {
      const tab = await open(t)
      const opened = tab.page.context().waitForEvent('page')
      await tab.page.getByRole('link', { name: 'Plain', exact: true }).click(how)
      await (await opened).waitForURL('/item/1?plain')
      t.equal(tab.page.url(), `${origin}/links`)
    }
  })

  t.test('with a target opens a tab', async (t) => {
    const tab = await open(t)
    const opened = tab.page.context().waitForEvent('page')
    await tab.page.getByRole('link', { name: 'Blank' }).click()
    await (await opened).waitForURL('/item/1?blank')
    t.equal(tab.page.url(), `${origin}/links`)
  })

  t.test('without a target opens a tab if a <base> has this target, and so does a form', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/form' })
    const { page } = tab
    await page.evaluate(() => {
      document.head.append(Object.assign(document.createElement('base'), { target: '_blank' }))
    })
    for (const target of [
      page.getByRole('link', { name: 'Item 1' }),
      page.getByRole('button', { name: 'Send as a query' })
    ]) {
      const opened = page.context().waitForEvent('page')
      await target.click()
      await (await opened).close()
    }
    t.equal(page.url(), `${origin}/form`)
  })

  t.test('in an editor is text', async (t) => {
    const tab = await open(t)
    await tab.page.getByRole('link', { name: 'In an editor' }).click()
    await pause(500)
    t.equal(tab.page.url(), `${origin}/links`)
  })

  t.test('with `download` saves a file', async (t) => {
    const tab = await open(t)
    const [download] = await Promise.all([
      tab.page.waitForEvent('download'),
      tab.page.getByRole('link', { name: 'Download' }).click()
    ])
    t.equal(download.suggestedFilename(), 'item.html')
    t.equal(tab.page.url(), `${origin}/links`)
    await tab.take()
  })

  for (const name of ['Document', 'External']) {
    t.test(`(${name}) that requires a document loads one`, async (t) => {
      const tab = await open(t)
      await tab.press(tab.page.getByRole('link', { name, exact: true }))
      t.same(tab.pathsOf('document'), [`/item/1?${name.toLowerCase()}`])
      t.same(tab.pathsOf('fetch'), [])
    })
  }

  t.test('to another scheme or another site is left to the browser', async (t) => {
    const tab = await open(t)
    await tab.page.evaluate(() => {
      // Runs after the shell's own listener, and prevents the browser from opening a program or another site.
      addEventListener('click', (event) => {
        Object.assign(window, { taken: event.defaultPrevented })
        event.preventDefault()
      })
      document.querySelector('h1')!.insertAdjacentHTML('afterend', '<a href="https://other.example/">Other site</a>')
    })
    for (const name of ['Mail', 'Other site', 'Plain']) {
      await tab.page.getByRole('link', { name, exact: true }).click()
      t.equal(await tab.page.evaluate(() => (window as { taken?: boolean }).taken), name === 'Plain', name)
    }
    await untilHeading(tab, 'Item 1')
  })

  t.test('to a page without React and with a script loads the document, which runs the script', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short' })
    await tab.page.route('**/scripted.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'document.querySelector("h1").append(", and it runs")' })
    )
    await tab.page.evaluate(() => {
      document.querySelector('h1')!.innerHTML = '<a href="/scripted">There</a>'
    })
    await followLink(tab, 'There', 'Scripted, and it runs')
  })

  t.test('to or from a page that loads itself again at times loads a document, which ends that', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short' })
    const { page } = tab
    for (const [to, heading] of [
      ['/reloads', 'Reloads'],
      ['/reloads-alone', 'Reloads alone']
    ] as const) {
      await page.evaluate((href) => {
        document.querySelector('h1')!.innerHTML = `<a href="${href}">There</a>`
      }, to)
      await page.getByRole('link', { name: 'There' }).click()
      await untilHeading(tab, heading)
      await page.getByRole('link', { name: 'Item 1', exact: true }).click()
      await untilHeading(tab, 'Item 1')
      await pause(2_500)
      t.equal(page.url(), `${origin}/item/1`)
      t.equal(tab.pathsOf('document').at(-1), '/item/1')
      await tab.take()
      await untilInteractive(tab)
    }
  })

  t.test('does nothing if its handler has called preventDefault', async (t) => {
    const tab = await open(t)
    await tab.page.getByRole('link', { name: 'Prevented' }).click()
    await pause()
    t.equal(tab.page.url(), `${origin}/links`)
  })

  t.test('in an SVG, and an image map area, load the document of their page', async (t) => {
    const tab = await open(t)
    await tab.press(tab.page.getByText('In a picture'))
    t.equal(tab.page.url(), `${origin}/item/1?svg`)
    await tab.open('/links')
    await tab.press(tab.page.getByRole('img', { name: 'A plan' }))
    t.equal(tab.page.url(), `${origin}/item/1?area`)
    t.same(tab.pathsOf('document'), ['/item/1?svg', '/links', '/item/1?area'])
    t.same(tab.pathsOf('fetch'), [])
    await takeAborted(tab)
  })

  t.test('with `replace` replaces the history entry', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/' })
    await followLink(tab, 'Links', 'Links')
    await followLink(tab, 'Replace', 'Item 1')
    await tab.page.goBack()
    await untilHeading(tab, 'Home')
  })

  t.test('with `replace` to a hash of the page replaces the history entry', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/' })
    const { page } = tab
    await followLink(tab, 'Links', 'Links')
    const state = await page.evaluate(() => history.state as unknown)
    await page.getByRole('link', { name: 'Replace' }).evaluate((link: HTMLAnchorElement) => {
      link.href = '#root'
      link.click()
    })
    t.equal(page.url(), `${origin}/links#root`)
    t.equal(await page.evaluate(() => document.querySelector(':target')?.id), 'root')
    t.same(await page.evaluate(() => history.state as unknown), state)
    await page.goBack()
    await untilHeading(tab, 'Home')
  })

  t.test('with `keepScroll` keeps the scroll position', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/links', viewport: { width: 800, height: 200 } })
    await tab.page.getByRole('link', { name: 'Keep', exact: true }).scrollIntoViewIfNeeded()
    const before = await tab.page.evaluate(() => scrollY)
    t.ok(before > 0)
    await followLink(tab, 'Keep', 'Item 1')
    t.equal(await tab.page.evaluate(() => scrollY), before)
    t.equal(
      await tab.page.evaluate(() => document.activeElement?.tagName),
      'BODY',
      'the focused link was removed with the previous page'
    )
  })

  t.test('to the shown page requests the page data again, and adds no history entry', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/' })
    await followLink(tab, 'Item 1', 'Item 1')
    const served = await tab.page.locator('#served').innerText()
    await tab.page.getByRole('button', { name: 'clicked 0' }).click()
    await tab.page.getByRole('link', { name: 'Item 1', exact: true }).click()
    await until(tab.page, (old) => document.querySelector('#served')!.textContent !== old, served)
    t.equal(await tab.page.getByRole('button').innerText(), 'clicked 1', 'the state of the page is kept')
    await tab.page.goBack()
    await untilHeading(tab, 'Home')
    await hydrated(tab.page)
  })
})
