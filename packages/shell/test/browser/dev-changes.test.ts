import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { startDevServer } from '@hull/test-helpers/dev-server.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { PARTS, removePart } from '../../../create-hull/src/remove.ts'

const PAGE = 'client/pages/changing.tsx'
const LAYOUT = 'client/layouts/changing.tsx'

const FILES = {
  [LAYOUT]: `import type { LayoutProps } from '@hull/shell/client'

export const getData = () => ({ frame: 'frame one' })

export default function Changing({ data, children }: LayoutProps<typeof getData>) {
  return <main><p id="frame">{data.frame}</p>{children}</main>
}
`,
  [PAGE]: `import { useState } from 'react'
import { getWord } from '../../plugins/word.ts'
import { ship } from '../../fleet/ship.ts'
import type { PageProps } from '@hull/shell/client'

export const layout = 'changing'

export const getData = () => ({ words: 'data one', word: getWord(), ship })

export const getMeta = () => ({ title: 'Title one' })

export default function Changing({ data }: PageProps<typeof getData>) {
  const [count, setCount] = useState(0)
  return <><button onClick={() => setCount(count + 1)}>{count}</button><p id="data">{data.words}</p><p id="word">{data.word}</p><p id="ship">{data.ship}</p><input aria-label="Note" /></>
}
`,
  'fleet/ship.ts': `export const ship = 'ship one'\n`,
  'plugins/word.ts': `export const getWord = () => 'word one'\n`,
  'plugins/echo.ts': `import websocket from '@fastify/websocket'
import fp from 'fastify-plugin'

export default fp(async function echo(app) {
  await app.register(websocket)
  app.register(async function routes(scope) {
    scope.get('/echo', { websocket: true }, (socket) => socket.on('message', (data) => socket.send('heard ' + data)))
  })
})
`
}

const browser = await launchBrowser(t)
const dev = await startDevServer(t, {
  prepare(root) {
    // Without these parts a third of the pages remain. Each restart of the server loads all pages.
    removePart(root, PARTS.lab)
    removePart(root, PARTS.inbox)
    mkdirSync(join(root, 'fleet'))
    for (const [file, text] of Object.entries(FILES)) writeFileSync(join(root, file), text)
  }
})
const { origin, output } = dev

const countStarts = () => output.filter((line) => line.includes('Server listening')).length

/** Opens a tab with the page. `shows` waits for an element with a text. */
async function openChanging(t: Test) {
  const tab = await openTab(t, browser, { origin, refetches: true })
  await dev.isSettled()
  await tab.open('/changing')
  await hydrated(tab.page)
  const shows = (id: string, text: string) => tab.page.locator(`#${id}`, { hasText: text }).waitFor()
  return { ...tab, shows }
}

t.test('an open tab shows', async (t) => {
  t.test('an edited getData, getMeta, layout and import of getData, without a reload', async (t) => {
    const { page, shows, pathsOf } = await openChanging(t)
    await page.getByLabel('Note').fill('kept')
    dev.edit(PAGE, 'data one', 'data two')
    await shows('data', 'data two')
    dev.edit(LAYOUT, 'frame one', 'frame two')
    await shows('frame', 'frame two')
    // This file is outside of client/, as a package of the workspace is.
    dev.edit('fleet/ship.ts', 'ship one', 'ship two')
    await shows('ship', 'ship two')
    dev.edit(PAGE, 'Title one', 'Title two')
    await page.waitForFunction(() => document.title === 'Title two')
    t.equal(await page.getByLabel('Note').inputValue(), 'kept')
    t.same(pathsOf('document'), ['/changing'], 'no other document is loaded')
  })

  t.test('an edited server file after the restart, without a reload', async (t) => {
    const { page, shows, take, pathsOf } = await openChanging(t)
    await page.getByLabel('Note').fill('kept')
    await page.getByRole('button').click()
    dev.edit('plugins/word.ts', 'word one', 'word two')
    await shows('word', 'word two')
    t.equal(await page.getByLabel('Note').inputValue(), 'kept')
    t.equal(await page.getByRole('button').innerText(), '1')
    t.same(pathsOf('document'), ['/changing'], 'no other document is loaded')
    // The new server process has not loaded any module of the tab.
    dev.edit(LAYOUT, 'frame two', 'frame three')
    // So the next change of client code reloads the document.
    await eventually(() => pathsOf('document').length === 2)
    await shows('frame', 'frame three')
    t.notMatch((await take()).join('\n'), 'policy')
  })

  t.test('the server again after one of its files could not be parsed', async (t) => {
    const { shows, take } = await openChanging(t)
    dev.edit('plugins/word.ts', "'word two'", '')
    dev.edit('server.ts', 'import { join }', `import './plugins/word.ts'\nimport { join }`)
    await eventually(() => output.some((line) => line.includes('ERR_INVALID_TYPESCRIPT_SYNTAX')))
    dev.edit('plugins/word.ts', '=> \n', `=> 'word three'\n`)
    await shows('word', 'word three')
    await take()
  })

  t.test('the page again after it threw an error', async (t) => {
    const { page, shows, take } = await openChanging(t)
    dev.edit(PAGE, "({ words: 'data two',", "{ throw new Error('out of words') } // ({")
    await page.getByText('out of words').first().waitFor()
    dev.edit(PAGE, "{ throw new Error('out of words') } // ({", "({ words: 'data three',")
    await shows('data', 'data three')
    await take()
  })

  t.test('the page again after it could not be parsed', async (t) => {
    const { page, shows, take } = await openChanging(t)
    dev.edit(PAGE, "words: 'data three'", "words: 'data three")
    await page.locator('vite-error-overlay').waitFor()
    dev.edit(PAGE, "words: 'data three", "words: 'data four'")
    await shows('data', 'data four')
    await take()
  })
})

t.test('a tab whose socket was never connected also reloads after a restart', async (t) => {
  const { page, open, take } = await openTab(t, browser, { origin, refetches: true })
  await dev.isSettled()
  await page.addInitScript(() => {
    // The first socket cannot connect, as if the server stopped before the connection was open.
    if (sessionStorage.getItem('connects')) return
    sessionStorage.setItem('connects', 'next time')
    globalThis.WebSocket = class extends WebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(String(url).replace(/\?token=.*/, '?token=wrong'), protocols)
      }
    }
  })
  await open('/changing')
  await hydrated(page)
  dev.edit('plugins/word.ts', 'word three', 'word again')
  await page.locator('#word', { hasText: 'word again' }).waitFor()
  await take()
  // An open tab would send requests to the restarting server.
  await page.close()
  dev.edit('plugins/word.ts', 'word again', 'word three')
  t.ok(await dev.says('/changing', 'word three'))
})

t.test('a server that starts with a page that cannot be parsed shows the reason, and later the page', async (t) => {
  const { page, shows, take } = await openChanging(t)
  dev.edit(PAGE, "words: 'data four'", "words: 'data four")
  await page.locator('vite-error-overlay').waitFor()
  const before = countStarts()
  dev.edit('plugins/word.ts', 'word three', 'word four')
  await eventually(() => countStarts() > before)
  t.ok(output.some((line) => line.includes('the pages cannot be loaded')))
  dev.edit(PAGE, "words: 'data four", "words: 'data five'")
  // The watcher is ready a moment after the server listens, and does not see earlier changes.
  await eventually(async () => {
    dev.edit(PAGE, "words: 'data five'", "words: 'data five'")
    const isShown = page.locator('#data', { hasText: 'data five' }).waitFor({ timeout: 5_000 })
    return isShown.then(() => true).catch(() => false)
  })
  await shows('word', 'word four')
  await take()
})

t.test('a page that gets its first hook, or loses its last one, asks for a restart', async (t) => {
  const hook = `export const onRequest = async () => {}\n`
  dev.write('client/pages/plain.tsx', toPage('plain'))
  dev.write('client/pages/hooked.tsx', hook + toPage('hooked'))
  const before = countStarts()
  dev.edit('plugins/word.ts', 'word four', 'word five')
  await eventually(() => countStarts() > before)
  t.ok(await dev.says('/plain', 'says plain'))
  t.ok(await dev.says('/hooked', 'says hooked'))
  dev.write('client/pages/plain.tsx', hook + toPage('plain'))
  dev.write('client/pages/hooked.tsx', toPage('hooked'))
  t.ok(await dev.says('/plain', 'hooks and uploads that client/pages/plain.tsx exports'))
  t.ok(await dev.says('/hooked', 'hooks and uploads that client/pages/hooked.tsx exports'))
  dev.write('client/pages/plain.tsx', toPage('plain'))
  t.ok(await dev.says('/plain', 'says plain'))
})

t.test('a second file for one address is an error until one of the two is removed', async (t) => {
  dev.write('client/pages/twice.tsx', toPage('first'))
  t.ok(await dev.says('/twice', 'says first'))
  dev.write('client/pages/twice/index.tsx', toPage('second'))
  t.ok(await dev.says('/twice', 'client/pages/twice/index.tsx'))
  dev.remove('client/pages/twice.tsx')
  t.ok(await dev.says('/twice', 'says second'))
})

t.test('server and browser use a new client/context.ts without a restart', async (t) => {
  const { page, take } = await openTab(t, browser, { origin, refetches: true })
  dev.write(
    'client/pages/greeting.tsx',
    `import { useRouteContext } from '@fastify/react/client'
export default () => <><p id="greeting">{useRouteContext().greeting ?? 'none'}</p><button>Greet</button></>
`
  )
  t.ok(await dev.says('/greeting', 'none'))
  await page.goto(`${origin}/greeting`)
  await hydrated(page)
  dev.write('client/context.ts', `export const greeting = 'hello'\n`)
  await page.locator('#greeting', { hasText: 'hello' }).waitFor()
  await take()
  dev.remove('client/context.ts')
  await page.locator('#greeting', { hasText: 'none' }).waitFor()
  await take()
})

t.test('a page whose import fails in the browser is shown after the correction, also after a reload', async (t) => {
  const { page, shows, take } = await openChanging(t)
  const wrong = `import { readFileSync } from 'node:fs'\nexport const size = readFileSync.length\n`
  dev.write('client/components/part.ts', `export const size = 1\n`)
  dev.edit(PAGE, `import { useState }`, `import { size } from '../components/part.ts'\nimport { useState }`)
  dev.edit(PAGE, `<p id="data">`, `<p id="size">{size}</p><p id="data">`)
  await shows('size', '1')
  dev.write('client/components/part.ts', wrong)
  const cause = page.locator('vite-error-overlay', { hasText: 'imports node:fs, which the browser does not have' })
  await cause.waitFor()
  await page.reload()
  await cause.waitFor()
  dev.write('client/components/part.ts', `export const size = 2\n`)
  await shows('size', '2')
  await hydrated(page)
  t.equal(await page.locator('vite-error-overlay').count(), 0)
  await take()
})

t.test('a WebSocket plugin of the application and the socket of Vite both work', async (t) => {
  const before = countStarts()
  dev.edit(
    'server.ts',
    '  await app.register(requestLog)',
    "  await app.register(import('./plugins/echo.ts'))\n  await app.register(requestLog)"
  )
  await eventually(() => countStarts() > before)
  t.equal(await ask(`${origin.replace('http', 'ws')}/echo`, 'ping'), 'heard ping')
  const { shows, take } = await openChanging(t)
  dev.edit(PAGE, 'data five', 'data six')
  await shows('data', 'data six')
  await take()
})

const toPage = (word: string) => `export default () => <p>{'says ${word}'}</p>\n`

/** Sends a message and returns the first message received. */
function ask(url: string, message: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    socket.addEventListener('open', () => {
      socket.send(message)
    })
    socket.addEventListener('message', ({ data }) => {
      socket.close()
      resolve(String(data))
    })
    socket.addEventListener('error', () => {
      reject(new Error(`${url} could not be opened`))
    })
  })
}
