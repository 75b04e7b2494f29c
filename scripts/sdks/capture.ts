import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, globSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { build } from 'vite'
import { readConfig } from '../../config.ts'
import { buildServer } from '../../server.ts'
import { CHROMIUM_ARGS, chromiumPath } from '../chromium.js'
import { openRecorder, type Exchange } from './recorder.ts'
import { scrubEnvelope, typesOf } from './scrub.ts'

/*
 * node scripts/sdks/capture.ts [node|browser]-<version> …
 *
 * Runs real SDKs against a real Hull (run `npm run build` first), and stores their envelopes in
 * packages/monitoring/test/fixtures/envelopes/clients, which tests replay. It needs npm's registry, and Chromium, whose
 * path HULL_CHROMIUM may set.
 */

/** The newest version of each major; for 11, the newest version whose packages can all be installed. */
const VERSIONS = ['7.120.4', '8.55.2', '9.47.2', '10.78.0', '11.11.0']
const SDKS = ['node', 'browser'].flatMap((sdk) => VERSIONS.map((version) => ({ sdk, version })))

const FOLDER = join(import.meta.dirname, '../../packages/monitoring/test/fixtures/envelopes/clients')

/** Values that replace the server's host and the page's origin in the envelopes. */
const HOST = 'hull.example'
const PAGE = 'https://shop.example'
const KEY = '0123456789abcdef0123456789abcdef'

/** Milliseconds to install an SDK, or to wait until it has sent everything. */
const PATIENCE = 60_000

/** A stored request: the parts that affect how its envelope is processed. */
interface Sent {
  file: string
  path: string
  headers: Record<string, string>
}

const named = process.argv.slice(2)
const wanted = SDKS.filter(({ sdk, version }) => named.length === 0 || named.includes(`${sdk}-${version}`))
const temp = mkdtempSync(join(tmpdir(), 'hull-sdks-'))
const app = await buildServer(readConfig({ DATA_DIR: join(temp, 'data'), LOG_LEVEL: 'warn', TUNNEL_RATE: '0' }))
const recorder = await openRecorder(await app.listen({ host: '127.0.0.1', port: 0 }))
mkdirSync(FOLDER, { recursive: true })
try {
  const project = await app.inbox!.changes.createProject({ name: 'Shop' })
  const dsn = `http://${project.key}@${recorder.host}/${project.id}`
  for (const { sdk, version } of wanted) {
    const folder = await install(sdk, version)
    const origin = await (sdk === 'node' ? runNode(folder, dsn) : runBrowser(folder, dsn))
    const sent = recorder.take().filter(({ method }) => method === 'POST')
    keep(`${sdk}-${version}`, sent, [
      [folder, '/srv/client'],
      [recorder.host, HOST],
      [project.key, KEY],
      ...(origin === undefined
        ? []
        : ([
            [origin, PAGE],
            [new URL(origin).host, new URL(PAGE).host]
          ] as const))
    ])
  }
} finally {
  recorder.close()
  await app.close()
  rmSync(temp, { recursive: true, force: true })
}

async function install(sdk: string, version: string): Promise<string> {
  const folder = join(temp, `${sdk}-${version}`)
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: { [`@sentry/${sdk}`]: version } })
  )
  copyFileSync(join(import.meta.dirname, `${sdk}-client.mjs`), join(folder, 'client.mjs'))
  // npm runs asynchronously, because the server in this process would take a blocked event loop for a dead disk.
  await run(folder, 'npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'])
  return folder
}

async function runNode(folder: string, dsn: string): Promise<undefined> {
  await run(folder, process.execPath, ['client.mjs'], { PATH: process.env.PATH, DSN: dsn })
}

async function run(cwd: string, command: string, args: string[], env = process.env): Promise<void> {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'], timeout: PATIENCE })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${command} exited with ${code} in ${cwd}`)
}

/** @returns the page's origin, which differs from the server's */
async function runBrowser(folder: string, dsn: string): Promise<string> {
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: { lib: { entry: 'client.mjs', formats: ['iife'], name: 'client', fileName: () => 'client.js' } }
  })
  const script = readFileSync(join(folder, 'dist/client.js'))
  const pages = createServer(({ url }, response) => {
    const isScript = url === '/client.js'
    response
      .writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
      .end(
        isScript
          ? script
          : `<!doctype html><html data-dsn="${dsn}"><button>buy</button><script src="/client.js"></script>`
      )
  }).listen(0, '127.0.0.1')
  await once(pages, 'listening')
  const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_ARGS })
  try {
    const page = await browser.newPage()
    await page.goto(`${origin}/items/7`)
    await page.waitForFunction(() => document.title === 'sent', undefined, { timeout: PATIENCE })
  } finally {
    await browser.close()
    pages.close()
    pages.closeAllConnections()
  }
  return origin
}

function keep(name: string, exchanges: Exchange[], replacements: Parameters<typeof scrubEnvelope>[1]): void {
  for (const old of globSync(`${name}-*`, { cwd: FOLDER })) rmSync(join(FOLDER, old))
  const list: Sent[] = exchanges.map(({ path, headers, body, status }, index) => {
    if (status !== 200) throw new Error(`The response to ${name} has status ${status}`)
    const types = [...new Set(typesOf(body))].join('+')
    const file = `${name}-${String(index + 1).padStart(2, '0')}-${types}.envelope`
    writeFileSync(join(FOLDER, file), scrubEnvelope(body, replacements))
    const sent: Sent = { file, path: path.replace(/^\/api\/\d+/, '/api/{project}'), headers: {} }
    for (const [text, instead] of replacements) sent.path = sent.path.replaceAll(text, instead)
    for (const header of ['content-type', 'x-sentry-auth', 'user-agent'])
      if (typeof headers[header] === 'string') sent.headers[header] = headers[header].replaceAll(...replacements[2]!)
    return sent
  })
  writeFileSync(join(FOLDER, `${name}-requests.json`), `${JSON.stringify(list, null, 2)}\n`)
  process.stdout.write(`${name}: ${list.map(({ file }) => file.slice(name.length + 1)).join(', ')}\n`)
}
