import { cpSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type * as applicationConfig from '../../../config.ts'
import type * as applicationServer from '../../../server.ts'
import { applyDiffs } from './apply-diffs.ts'
import { createFolder } from './folder.ts'
import { failOnProblem, LogRecorder } from './log-recorder.ts'
import { buildSite, type TestSite } from './site.ts'

const PROJECT = join(import.meta.dirname, '../../..')
const EXAMPLE = join(PROJECT, 'docs/examples/sign-in')

/** Heading of docs/sign-in.md for each recipe. */
const HEADINGS = { password: '## Sign in with a password\n', oidc: '## Sign in at a provider\n' }

/** Builds an application's pages with those of docs/examples/sign-in. */
export async function buildSignInSite(t: Test, place: { basePath?: string } = {}): Promise<TestSite> {
  const folder = createFolder(t)
  for (const path of ['layouts/default.tsx', 'pages/index.tsx'])
    cpSync(join(PROJECT, 'client', path), join(folder, path))
  cpSync(join(EXAMPLE, 'client'), folder, { recursive: true })
  for (const name of ['plugins', 'routes']) cpSync(join(EXAMPLE, name), join(folder, name), { recursive: true })
  return buildSite(folder, { place })
}

/** Copies the application's server code with that of the example, and applies a section of docs/sign-in.md to it. */
function writeServer(t: Test, recipe: keyof typeof HEADINGS): string {
  const root = createFolder(t)
  for (const name of ['plugins', 'routes', 'config.ts', 'server.ts'])
    cpSync(join(PROJECT, name), join(root, name), { recursive: true })
  for (const name of globSync(['plugins/**/*.ts', 'routes/**/*.ts', 'add-account.ts'], { cwd: EXAMPLE }))
    cpSync(join(EXAMPLE, name), join(root, name))
  const [, section] = readFileSync(join(PROJECT, 'docs/sign-in.md'), 'utf8').split(HEADINGS[recipe])
  applyDiffs(section!.split(/^## /m)[0]!, root)
  return root
}

export interface SignInAppOptions {
  site: TestSite
  recipe: keyof typeof HEADINGS
  env?: Record<string, string>
}

/** The application after the steps of docs/sign-in.md, closed with the test. */
export async function createSignInApp(t: Test, { site, recipe, env = {} }: SignInAppOptions) {
  const root = writeServer(t, recipe)
  const dataDir = env.DATA_DIR ?? createFolder(t)
  const { readConfig } = (await import(join(root, 'config.ts'))) as typeof applicationConfig
  const { buildServer } = (await import(join(root, 'server.ts'))) as typeof applicationServer
  const logs = new LogRecorder()
  const config = readConfig({
    DATA_DIR: dataDir,
    SESSION_SECRET: 'a secret for tests, of forty characters.',
    MAX_EVENT_LOOP_DELAY: '0',
    // A machine busy with tests takes long for a hash.
    RENDER_TIMEOUT: '2m',
    INBOX: 'off',
    SIGN_IN_PATH: `/sign-in/${recipe}`,
    ...env
  })
  const app = await buildServer(config, { root, dist: site.dist, logStream: logs })
  failOnProblem(t, logs, async () => {
    await app.close()
    return undefined
  })
  return { app, logs, root, dataDir }
}
