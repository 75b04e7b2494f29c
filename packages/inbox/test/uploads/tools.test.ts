// Runs in a process of its own: it initializes the SDK of its process.
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { SentryCli } from '@sentry/cli'
import { sentryVitePlugin } from '@sentry/vite-plugin'
import * as Sentry from '@sentry/node'
import t, { type Test } from 'tap'
import { build, type PluginOption } from 'vite'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { stored } from '@hull/test-helpers/inbox.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { createToken } from '../helpers/api.ts'
import { createSdk } from '../helpers/sdk.ts'
import { issueIn } from '../helpers/screens.ts'

/* The real tools, which build, upload and deploy a service whose source maps are not on the disk of the inbox. */

// tap makes Node resolve stacks itself. A service does not.
process.setSourceMapsEnabled(false)

// The plugin stores state in the home folder.
process.env.SENTRY_CONFIG_DIR = createFolder(t)
const run = promisify(execFile)
const { app, origin } = await createListeningApp(t, { env: { DATA_DIR: createFolder(t), INBOX_PASSWORD } })
t.teardown(() => app.close())
const admin = await signIn(app)
const token = await createToken(admin, 'write')
const send = createSdk(t, { app, origin })

/** Source code that throws an error with this message, which is unique for each test. */
const sourceOf = (message: string) => `
/** Counts what a customer buys. */
export function countItems(cart: { items: string[] }): number {
  if (cart.items.length > 2) {
    throw new RangeError('${message}')
  }
  return cart.items.length
}
countItems({ items: ['tea', 'milk', 'sugar'] })
`

/**
 * Builds a service.
 * @returns the folder of the minified code
 */
async function buildService(t: Test, message: string, plugins: PluginOption[] = []): Promise<string> {
  const root = createFolder(t)
  mkdirSync(join(root, 'src'))
  writeFileSync(join(root, 'src/main.ts'), sourceOf(message))
  await build({
    root,
    logLevel: 'error',
    configFile: false,
    plugins,
    build: { sourcemap: 'hidden', minify: true, lib: { entry: 'src/main.ts', formats: ['es'], fileName: 'main' } }
  })
  return join(root, 'dist')
}

/**
 * Runs a service after its source maps are deleted. Its SDK sends the error.
 * @returns the innermost frame in the inbox, and the page of the issue
 */
async function runService(dist: string, message: string) {
  const [code] = globSync('*.{js,mjs}', { cwd: dist })
  for (const map of globSync('**/*.map', { cwd: dist })) rmSync(join(dist, map))
  const before = app.inbox!.stats().stored.event ?? 0
  const error = await import(pathToFileURL(join(dist, code!)).href).catch((error: unknown) => error)
  await send(() => Sentry.captureException(error))
  await stored(app, 'event', before + 1)
  const id = issueIn((await admin.get('/inbox/issues')).body, message)
  const { body } = await admin.get(`/inbox/issues/${id}`)
  const { detail } = await app.inbox!.queries.getEvent({ id })
  return { frame: detail!.exceptions[0]!.frames[0]!, body }
}

/** Position of the error in {@link sourceOf}. */
const place = (message: string) => ({
  file: 'src/main.ts',
  line: 5,
  inApp: true,
  source: { line: `    throw new RangeError('${message}')` }
})

async function cli(args: string[], { cwd, env = {} }: { cwd: string; env?: Record<string, string> }) {
  const settings = {
    SENTRY_URL: origin,
    SENTRY_ORG: 'hull',
    SENTRY_PROJECT: 'this-application',
    SENTRY_AUTH_TOKEN: token
  }
  const { stdout } = await run(SentryCli.getPath(), args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...settings, ...env }
  })
  return stdout
}

t.test('sentry-cli uploads source maps by debug id', async (t) => {
  const dist = await buildService(t, 'by the tool')
  t.match(await cli(['info'], { cwd: dist }), /Method: Auth Token/)
  await cli(['sourcemaps', 'inject', '.'], { cwd: dist })
  t.match(await cli(['sourcemaps', 'upload', '.'], { cwd: dist }), /Uploaded files[^]*processing complete/)
  t.match(await cli(['sourcemaps', 'upload', '.', '--wait'], { cwd: dist }), /processing complete/, 'again')
  const { frame, body } = await runService(dist, 'by the tool')
  t.match(frame, place('by the tool'))
  t.match(body, 'src/main.ts')
})

t.test('sentry-cli creates a release with commits and a deploy', async (t) => {
  const cwd = createFolder(t, { 'a.txt': 'a' })
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@shop.example', ...args], { cwd })
  await git('init', '--quiet')
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'Sell tea')
  await git('remote', 'add', 'origin', 'https://github.com/acme/shop.git')
  await cli(['releases', 'new', 'shop@2.0'], { cwd })
  t.match(await cli(['releases', 'set-commits', 'shop@2.0', '--local'], { cwd }), /Success/)
  await cli(['releases', 'finalize', 'shop@2.0'], { cwd })
  await cli(['deploys', 'new', '--release', 'shop@2.0', '--env', 'production'], { cwd })
  const { body } = await admin.get('/inbox/releases')
  t.match(body, /shop@2\.0[^]*data-label="Deployed"[^]*production[^]*1 commit[^]*Sell tea/)

  await app.inbox!.changes.setRepository({ id: 1, repository: { host: 'github', url: 'https://github.com/acme/shop' } })
  await cli(['releases', 'new', 'shop@2.1'], { cwd })
  await cli(['releases', 'set-commits', 'shop@2.1', '--auto'], { cwd })
  const { stdout: head } = await git('rev-parse', 'HEAD')
  t.match((await admin.get('/inbox/releases')).body, `https://github.com/acme/shop/commit/${head.trim()}`)
})

t.test('sentry-cli prints why an upload is refused', async (t) => {
  const cwd = await buildService(t, 'refused')
  const refused = (env: Record<string, string>) =>
    cli(['sourcemaps', 'upload', '--release', '4.0', '.'], { cwd, env }).then(
      () => 'not refused',
      ({ stderr }: { stderr: string }) => stderr
    )
  t.match(await refused({ SENTRY_AUTH_TOKEN: await createToken(admin, 'read') }), 'APP_INBOX_TOKEN_READ_ONLY')
  t.match(await refused({ SENTRY_PROJECT: 'nobody' }), 'APP_INBOX_PROJECT_UNKNOWN')
})

t.test('the Vite plugin uploads source maps, and creates a release with a deploy', async (t) => {
  const errors: unknown[] = []
  const dist = await buildService(t, 'by the plugin', [
    sentryVitePlugin({
      url: origin,
      org: 'hull',
      project: 'this-application',
      authToken: token,
      telemetry: false,
      silent: true,
      release: { name: 'shop@3.0', setCommits: false, deploy: { env: 'staging' } },
      errorHandler: (error) => void errors.push(error)
    })
  ])
  t.same(errors, [])
  t.match((await runService(dist, 'by the plugin')).frame, place('by the plugin'))
  t.match((await admin.get('/inbox/releases')).body, /shop@3\.0[^]*data-label="Deployed"[^]*staging/)
})
