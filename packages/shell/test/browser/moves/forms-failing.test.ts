import t from 'tap'
import type { Page } from 'playwright'
import { launchBrowser, until, type Tab } from '@hull/test-helpers/browser.ts'
import { isPost, openMeddlingProxy } from '@hull/test-helpers/meddling-proxy.ts'
import { openInteractive, startMoves } from '@hull/test-helpers/moves.ts'
import { answer, reset } from '@hull/test-helpers/unruly-server.ts'

const browser = await launchBrowser(t)

const untilNotice = (page: Page) =>
  until(page, () => document.querySelector<HTMLElement>('.shell-notice')?.hidden === false)

async function send({ page }: Tab, name = 'Ada') {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Text').fill('a long text')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}

const withHtml = (status: number) => answer(status, { 'content-type': 'text/html' }, `<h1>${status}</h1>`)

const refuse = (status: number, detail: string) =>
  answer(status, { 'content-type': 'application/problem+json' }, JSON.stringify({ status, detail }))

t.test('a form that cannot be sent, or whose response cannot be shown, keeps its values', async (t) => {
  const { origin, logs } = await startMoves(t, { env: { SIGN_IN_PATH: '/short' } })
  const proxy = await openMeddlingProxy(t, origin)

  for (const [what, how, sentence] of [
    ['the connection is cut', reset, /could not be sent. Nothing you typed is lost/],
    ['a proxy answers 502 with HTML', withHtml(502), /could not process the form. Nothing you typed is lost/],
    ['a proxy answers 413 with HTML', withHtml(413), /cannot be shown here/],
    ['the body is too large', refuse(413, 'The body is too large'), /^The body is too large$/],
    ['a proxy answers 200 with HTML', withHtml(200), /cannot be shown here/]
  ] as const) {
    t.test(`when ${what}`, async (t) => {
      proxy.meddle(isPost, how)
      const tab = await openInteractive(t, browser, { origin: proxy.origin, at: '/form' })
      await send(tab)
      await untilNotice(tab.page)
      t.match(await tab.page.getByRole('alert').innerText(), sentence)
      t.equal(await tab.page.getByLabel('Name').inputValue(), 'Ada')
      t.equal(await tab.page.getByLabel('Text').inputValue(), 'a long text')
      t.equal(tab.page.url(), `${proxy.origin}/form`)
      t.same(tab.pathsOf('document'), [])
      // The unread response is aborted. The browser logs the refusal to the console.
      t.match((await tab.take()).join('\n'), /^console: Failed|^request failed: \/form/)

      proxy.leaveAlone()
      await tab.page.getByRole('button', { name: 'Send', exact: true }).click()
      await tab.page.waitForURL(/name=Ada&text=a\+long\+text/)
      t.ok(await tab.page.locator('.shell-notice').isHidden(), 'the form can be sent again')
    })
  }

  for (const build of ['this build', 'another build']) {
    t.test(`when the action of ${build} fails: shows the digest`, async (t) => {
      const tab = await openInteractive(t, browser, { origin: proxy.origin, at: '/form' })
      const rewrite = (body: string) => body.replace(/"build\\":\\"[^"]*\\"/, '"build\\":\\"another\\"')
      if (build === 'another build') proxy.meddle(isPost, (_response, forward) => forward({ rewrite }))
      await send(tab, 'fail')
      await untilNotice(tab.page)
      const [error] = logs.takeErrors()
      t.equal(
        await tab.page.getByRole('alert').innerText(),
        `The server failed while it processed the form. Nothing you typed is lost. Digest: ${String(error!.digest)}`
      )
      t.equal(await tab.page.getByLabel('Name').inputValue(), 'fail')
      t.equal(await tab.page.getByLabel('Text').inputValue(), 'a long text')
      tab.seen(500)
      t.same(tab.pathsOf('document'), [])
      proxy.leaveAlone()
    })
  }

  t.test('when the session has ended: the sign-in page opens in a new tab', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/form' })
    await send(tab, 'signed out')
    await untilNotice(tab.page)
    t.equal(
      await tab.page.getByRole('alert').innerText(),
      'You are not signed in. Nothing you typed is lost: sign in, then send the form again. Sign in (new tab)'
    )
    tab.seen(401)
    const popup = tab.page.waitForEvent('popup')
    await tab.page.getByRole('alert').getByRole('link').click()
    await (await popup).waitForURL(`${origin}/short?return=%2Fform`)
    await (await popup).close()
    t.equal(await tab.page.getByLabel('Text').inputValue(), 'a long text')
    t.equal(tab.page.url(), `${origin}/form`)
    await send(tab)
    await tab.page.waitForURL(/name=Ada&text=a\+long\+text/)
    t.same(tab.pathsOf('document'), [])
  })

  t.test('in a modal dialog: the notice is in the dialog, which makes everything outside of it inert', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/form' })
    const { page } = tab
    await page.evaluate(() => {
      document.body.insertAdjacentHTML(
        'beforeend',
        '<dialog id="modal"><form method="post" action="/form"><input name="name" value="signed out"><button>Send it</button></form></dialog>'
      )
      document.querySelector<HTMLDialogElement>('#modal')!.showModal()
    })
    await page.getByRole('button', { name: 'Send it' }).click()
    await untilNotice(page)
    tab.seen(401)
    const popup = page.waitForEvent('popup')
    await page.getByRole('alert').getByRole('link').click()
    await (await popup).close()

    await page.keyboard.press('Escape')
    await send(tab, 'signed out')
    await page.getByRole('alert').getByRole('link').waitFor()
    tab.seen(401)
  })

  t.test('when the browser is offline', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/form' })
    await tab.page.context().setOffline(true)
    await send(tab)
    await untilNotice(tab.page)
    t.match(await tab.page.getByRole('alert').innerText(), /check the connection/)
    t.equal(await tab.page.getByLabel('Text').inputValue(), 'a long text')
    t.match((await tab.take()).join('\n'), 'ERR_INTERNET_DISCONNECTED')
    await tab.page.context().setOffline(false)
    await tab.page.getByRole('button', { name: 'Send', exact: true }).click()
    await tab.page.waitForURL(/name=Ada/)
  })

  t.test('when the server has another build', async (t) => {
    const tab = await openInteractive(t, browser, { origin: proxy.origin, at: '/form' })
    const rewrite = (body: string) => body.replace(/"build":"[^"]*"/, '"build":"another"')
    proxy.meddle(isPost, (_response, forward) => forward({ rewrite }))
    await send(tab, '')
    await untilNotice(tab.page)
    t.match(await tab.page.getByRole('alert').innerText(), /out of date/)
    t.equal(await tab.page.getByLabel('Text').inputValue(), 'a long text')
    tab.seen(422)
    t.same(tab.pathsOf('document'), [])
    proxy.leaveAlone()
  })

  t.test('when the request is cross-site', async (t) => {
    const tab = await openInteractive(t, browser, { origin: proxy.origin, at: '/form' })
    proxy.meddle(isPost, (response) => {
      void fetch(`${origin}/form`, {
        method: 'POST',
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'cross-site',
          origin: 'https://other.example'
        },
        body: 'name=Ada'
      }).then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type')! })
        response.end(await answer.text())
      })
    })
    await send(tab)
    await untilNotice(tab.page)
    t.equal(await tab.page.getByRole('alert').innerText(), 'A form may be posted from this site only')
    t.equal(await tab.page.getByLabel('Text').inputValue(), 'a long text')
    tab.seen(403)
    t.same(tab.pathsOf('document'), [])
    proxy.leaveAlone()
  })
})
