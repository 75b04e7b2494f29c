import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { startDevServer } from '@hull/test-helpers/dev-server.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { PARTS, removePart } from '../../../create-hull/src/remove.ts'

/** Milliseconds after which the first part of a streamed page has been sent, also on a slow machine. */
const AFTER_SHELL = 1000

/** Content of each file. An error is created at the line and column of the first `new Error`. */
const FILES: Record<string, string> = {
  'client/pages/render.tsx': `export default function Rendering(): never {
  throw new Error('render fails')
}
`,
  'client/pages/data.tsx': `export function getData(): never {
  throw new Error('data fails')
}
export default function Data() {
  return <p>the data</p>
}
`,
  'client/pages/act.tsx': `export function action(): never {
  throw new Error('act fails', { cause: new TypeError('deeper') })
}
export default () => <form method="post"><button>Send</button></form>
`,
  'client/layouts/framed.tsx': `export default function Framed(): never {
  throw new Error('framed fails')
}
`,
  'client/pages/framed.tsx': `export const layout = 'framed'
export default () => null
`,
  'routes/route.ts': `import type { FastifyInstance } from 'fastify'

export default async function route(app: FastifyInstance) {
  app.get('/route', () => {
    throw new Error('route fails')
  })
}
`,
  'client/pages/late.tsx': `import { Suspense, use } from 'react'
import type { PageProps } from '@hull/shell/client'
export const streaming = true
export const getData = () => ({ late: load() })
async function load(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, ${AFTER_SHELL}))
  throw new Error('late fails')
}
export default function Late({ data }: PageProps<typeof getData>) {
  return <Suspense fallback="…"><Value late={data.late} /></Suspense>
}
const Value = ({ late }: { late: Promise<string> }) => <p>{use(late)}</p>
`,
  'client/pages/part.tsx': `import { Suspense, use } from 'react'
export const streaming = true
export const getData = () => ({ later: new Promise<void>((resolve) => setTimeout(resolve, ${AFTER_SHELL})) })
export default function Part({ data }: { data: { later: Promise<void> } }) {
  return <Suspense fallback="…"><OnServer later={data.later} /></Suspense>
}
function OnServer({ later }: { later: Promise<void> }) {
  use(later)
  if (typeof window === 'undefined') throw new Error('part fails')
  return <p>rendered in the browser</p>
}
`,
  'client/pages/handler.tsx': `export default function Handling() {
  const fail = () => {
    throw new Error('handler fails')
  }
  return <button onClick={fail}>Fail</button>
}
`,
  'client/pages/promise.tsx': `export default function Rejecting() {
  const fail = () => void Promise.reject(new Error('promise fails'))
  return <button onClick={fail}>Fail</button>
}
`,
  'client/pages/effect.tsx': `import { useEffect } from 'react'
export default function Effect() {
  useEffect(() => {
    throw new Error('effect fails')
  }, [])
  return <p>shown</p>
}
`,
  'client/pages/mismatch.tsx': `// Only the browser has a window.
export default () => <p>{typeof window === 'undefined' ? 'of the server' : 'of the browser'}</p>
`,
  'client/pages/links.tsx': `import { Link } from '@hull/shell/client'
export default () => <Link href={'/data' as never}>Data</Link>
`
}

const SENTENCE = 'Application error: a client-side or server-side exception has occurred'

/** Errors on the server: the page's path, status code and file, and the text of the page below the overlay. */
const ON_SERVER = [
  { path: '/render', status: 500, file: 'client/pages/render.tsx', below: SENTENCE },
  { path: '/data', status: 500, file: 'client/pages/data.tsx', below: SENTENCE },
  { path: '/framed', status: 500, file: 'client/layouts/framed.tsx', below: SENTENCE },
  { path: '/route', status: 500, file: 'routes/route.ts', below: SENTENCE },
  { path: '/late', status: 200, file: 'client/pages/late.tsx', below: SENTENCE },
  { path: '/part', status: 200, file: 'client/pages/part.tsx', below: 'rendered in the browser' },
  { path: '/act', status: 200, file: 'client/pages/act.tsx', below: 'Nothing you typed is lost' }
]

/** The same for errors in the browser. */
const IN_BROWSER = [
  { path: '/handler', file: 'client/pages/handler.tsx', below: 'Fail' },
  { path: '/promise', file: 'client/pages/promise.tsx', below: 'Fail' },
  { path: '/effect', file: 'client/pages/effect.tsx', below: SENTENCE },
  { path: '/mismatch', file: 'client/pages/mismatch.tsx', below: 'of the browser', message: 'Hydration failed' }
]

const BUTTONS = ['/act', '/handler', '/promise']

const browser = await launchBrowser(t)
const editor = createEditor()
const dev = await startDevServer(t, {
  env: { LAUNCH_EDITOR: editor.command },
  prepare(root) {
    removePart(root, PARTS.lab)
    for (const [file, content] of Object.entries(FILES)) writeFileSync(join(root, file), content)
  }
})

const tab = await openTab(t, browser, { origin: dev.origin, refetches: true })
const { page } = tab
const overlay = page.locator('vite-error-overlay')
const partOf = (name: string) => overlay.locator(`.${name}`)

t.test('shows an error on the server with its file and line', async (t) => {
  for (const { path, status, file, below } of ON_SERVER) {
    await open(path, status)
    await checkError(t, { path, file, below })
  }
})

t.test('shows an error in the browser with its file and line', async (t) => {
  for (const { path, file, below, message } of IN_BROWSER) {
    await open(path, 200)
    await checkError(t, { path, file, below, message, heading: `Error in the browser, on ${path}` })
  }
})

t.test('shows a cause below the error', async (t) => {
  await open('/act', 200)
  t.match(await partOf('stack').innerText(), /Cause: client\/pages\/act\.tsx:2:41\nTypeError: deeper/)
  await tab.take()
})

t.test('shows a failed navigation without a document, and removes the error when the file is corrected', async (t) => {
  await open('/links', 200)
  await hydrated(page)
  await page.getByRole('link', { name: 'Data' }).click()
  await partOf('message').getByText('data fails').waitFor()
  // The overlay and the fallback are shown independently of each other.
  await eventually(async () => (await page.locator('body').innerText()).includes(SENTENCE))
  dev.edit('client/pages/data.tsx', `throw new Error('data fails')`, `return undefined as never`)
  await page.getByText('the data').waitFor()
  t.equal(await overlay.count(), 0)
  t.same(tab.pathsOf('document').slice(-1), ['/links'], 'no other document is loaded')
  await tab.take()
})

t.test('a link opens the editor at the line of the error', async (t) => {
  await open('/handler', 200)
  await partOf('file').getByRole('link').press('Enter')
  t.match(await eventually(() => editor.read()), /^-r -g \S+\/client\/pages\/handler\.tsx:3:11\n$/)
  await tab.take()
})

t.test('without JavaScript, the document has the error as text', async (t) => {
  const response = await fetch(`${dev.origin}/render`, { headers: { accept: 'text/html' } })
  t.match(await response.text(), /<noscript><pre>client\/pages\/render\.tsx:2:9\nError: render fails\n/)
})

t.test(
  'the setting that the overlay names switches the overlay off, and the terminal still shows the error',
  async (t) => {
    await open('/handler', 200)
    t.match(await partOf('tip').innerText(), /server\.hmr\.overlay to false in vite\.config\.ts/)
    const starts = countStarts()
    dev.edit(
      'vite.config.ts',
      'export default defineConfig({',
      'export default defineConfig({ server: { hmr: { overlay: false } },'
    )
    await eventually(() => countStarts() > starts)
    await dev.isSettled()
    await tab.take()
    const lines = dev.output.length
    await open('/handler', 200)
    await eventually(() => dev.output.indexOf('client/pages/handler.tsx:3:11', lines) > 0)
    t.equal(await overlay.count(), 0)
    await tab.take()
  }
)

/** Opens a page and causes its error. */
async function open(path: string, status: number) {
  await tab.open(path, status)
  if (!BUTTONS.includes(path)) return
  await hydrated(page)
  await page.getByRole('button').click()
}

interface Expected {
  path: string
  file: string
  /** Text of the page below the overlay. */
  below: string
  /** @default the message of the file */
  message?: string
  /** Line of the terminal above the place. */
  heading?: string
}

/** Checks the overlay and the terminal, and closes the overlay. */
async function checkError(t: Test, { path, file, below, message = `${path.slice(1)} fails`, heading }: Expected) {
  const place = findPlace(file)
  await partOf('message').getByText(message).waitFor()
  t.match(await partOf('file').innerText(), place, path)
  t.match(await partOf('frame').innerText(), /^> +\d+ \| .*\n +\| +\^$/m, path)
  const at = await eventually(() => dev.output.findLastIndex((line) => place.test(line)) + 1)
  t.match(dev.output[at], message, `${path} in the terminal`)
  if (heading !== undefined) t.equal(dev.output[at - 2], heading, path)
  await page.keyboard.press('Escape')
  t.equal(await overlay.count(), 0, path)
  await page.getByText(below).first().waitFor()
  t.notMatch((await tab.take()).join('\n'), 'policy', path)
}

/** Returns a pattern for the line with the place. React knows the line of an element, but not always its column. */
function findPlace(file: string): RegExp {
  const before = FILES[file]!.split('new Error(', 1)[0]!.split('\n')
  const isKnown = before.length < FILES[file]!.split('\n').length
  return new RegExp(`^${file}:${isKnown ? `${before.length}:${before.at(-1)!.length + 1}` : '2:22'}$`)
}

const countStarts = () => dev.output.filter((line) => line.includes('Server listening at ')).length

/** Creates an editor that writes its arguments into a file. Its name selects the arguments of Visual Studio Code. */
function createEditor() {
  const folder = createFolder(t)
  const [command, output] = [join(folder, 'code'), join(folder, 'arguments')]
  writeFileSync(command, `#!/bin/sh\necho "$@" > '${output}'\n`, { mode: 0o755 })
  return { command, read: () => existsSync(output) && readFileSync(output, 'utf8') }
}
