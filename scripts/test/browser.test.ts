import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { findBrowser, getBrowser } from '../browser.js'

const CHROMIUM = 'echo Chromium 1.2.3'
const SNAP_NOTE = 'echo Please install the snap >&2; exit 1'

t.test('findBrowser', async (t) => {
  t.test('prefers chromium to chrome, and browsers on PATH to other places', async (t) => {
    const { root, env, places } = createMachine(t, { 'bin/google-chrome': CHROMIUM, 'opt/chromium': CHROMIUM })
    t.equal(await findBrowser({ root, env, places }), join(root, 'bin/google-chrome'))
    addCommands(root, { 'bin/chromium': CHROMIUM })
    t.equal(await findBrowser({ root, env, places }), join(root, 'bin/chromium'))
  })

  t.test('prefers the headless shell with the option `shell`', async (t) => {
    const { root, env, places } = createMachine(t, {
      'bin/chromium': CHROMIUM,
      'bin/chromium-headless-shell': CHROMIUM
    })
    t.equal(await findBrowser({ root, env, places, shell: true }), join(root, 'bin/chromium-headless-shell'))
    t.equal(await findBrowser({ root, env, places }), join(root, 'bin/chromium'))
  })

  t.test('ignores a browser that does not start', async (t) => {
    const { root, env, places } = createMachine(t, { 'bin/chromium-browser': SNAP_NOTE, 'opt/chromium': CHROMIUM })
    t.equal(await findBrowser({ root, env, places }), join(root, 'opt/chromium'))
  })

  t.test("finds Playwright's download of the revision that Playwright launches", async (t) => {
    const { root, env, places } = createMachine(t, {
      'cache/chromium_headless_shell-1/linux/chrome-headless-shell': CHROMIUM,
      'cache/chromium_headless_shell-2/linux/chrome-headless-shell': CHROMIUM
    })
    const path = 'cache/chromium_headless_shell-2/linux/chrome-headless-shell'
    t.equal(await findBrowser({ root, env, places }), join(root, path))
  })

  t.test('uses HULL_CHROMIUM, and throws an error if that does not start', async (t) => {
    const { root, env, places } = createMachine(t, { 'bin/chromium': CHROMIUM, 'own/chrome': CHROMIUM })
    const own = join(root, 'own/chrome')
    t.equal(await findBrowser({ root, env: { ...env, HULL_CHROMIUM: own }, places }), own)
    await t.rejects(findBrowser({ root, env: { ...env, HULL_CHROMIUM: '/nowhere' }, places }), {
      message: /HULL_CHROMIUM is \/nowhere, which does not start/
    })
  })

  t.test('returns undefined if there is no browser', async (t) => {
    t.equal(await findBrowser(createMachine(t, {})), undefined)
  })
})

t.test('getBrowser', async (t) => {
  // A script that replaces `node`, with which getBrowser runs Playwright's installer.
  const install = (path: string) =>
    `mkdir -p "$(dirname "${path}")"; printf '#!/bin/sh\\n${CHROMIUM}\\n' > "${path}"; chmod +x "${path}"`

  t.test('downloads a browser with Playwright if there is none', async (t) => {
    const { root, ...machine } = createMachine(t, {})
    const path = join(root, 'cache/chromium_headless_shell-2/linux/chrome-headless-shell')
    addCommands(root, { 'tools/node': install(path) })
    t.equal(await getBrowser({ root, ...machine, node: join(root, 'tools/node') }), path)
  })

  t.test('installs the system package as root if the download fails', async (t) => {
    const { root, ...machine } = createMachine(t, { 'tools/node': 'exit 1' })
    const path = join(root, 'bin/chromium')
    addCommands(root, { 'bin/apt-get': `[ "$1" = install ] || exit 0; ${install(path)}` })
    t.equal(await getBrowser({ root, ...machine, node: join(root, 'tools/node'), isAdmin: true }), path)
  })

  t.test("installs Debian's headless shell too with the option `shell`, if the system has the package", async (t) => {
    for (const [name, shells] of [
      ['chromium-headless-shell', 0],
      ['chromium', 1]
    ] as const) {
      const { root, ...machine } = createMachine(t, { 'tools/node': 'exit 1' })
      const path = join(root, 'bin', name)
      const isKnown = `[ "$1" = install ] || exit 0; [ ${shells} = 1 ] && [ "$4" = chromium-headless-shell ] && exit 100`
      addCommands(root, { 'bin/apt-get': `${isKnown}; ${install(path)}` })
      t.equal(await getBrowser({ root, ...machine, node: join(root, 'tools/node'), isAdmin: true, shell: true }), path)
    }
  })

  t.test('throws an error with the command to type if nothing could be installed', async (t) => {
    const { root, ...machine } = createMachine(t, { 'tools/node': 'exit 1', 'bin/apt-get': 'exit 1' })
    const node = join(root, 'tools/node')
    for (const isAdmin of [true, false]) {
      await t.rejects(getBrowser({ root, ...machine, node, isAdmin }), {
        message: /Type `sudo apt-get install chromium`/
      })
    }
  })
})

/** Creates a folder that simulates a machine: its PATH, other places, and Playwright's cache with revision 2. */
function createMachine(t: Test, commands: Record<string, string>) {
  const browsers = [{ name: 'chromium-headless-shell', revision: '2' }]
  const root = t.testdir({ node_modules: { 'playwright-core': { 'browsers.json': JSON.stringify({ browsers }) } } })
  addCommands(root, commands)
  // PATH has only the fake commands, without browsers of the real machine.
  const env = { PATH: join(root, 'bin'), PLAYWRIGHT_BROWSERS_PATH: join(root, 'cache') }
  return { root, env, places: [join(root, 'opt/chromium')], print: () => {} }
}

function addCommands(root: string, commands: Record<string, string>) {
  for (const [path, script] of Object.entries(commands)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`)
    chmodSync(join(root, path), 0o755)
  }
}
