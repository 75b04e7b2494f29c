import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { runChild } from '../child.js'
import { bareNode } from '@hull/test-helpers/bare-node.ts'

/*
 * Who may import whom is held by .oxlintrc.json, whose patterns fail silently when they are wrong: each line here
 * is a file that has to be refused, or has to pass.
 */
const root = fileURLToPath(new URL('../..', import.meta.url))

const CALLBACKS = `import type { Socket } from 'node:net'
import { safeCallback } from '../../packages/common/src/safe-callback.ts'
declare const socket: Socket, signal: AbortSignal, fail: () => void, resolve: () => void
export const safe = safeCallback(fail)`

const REFUSED: [file: string, code: string, rule: string][] = [
  ['lib/a.ts', "import '../plugins/session.ts'", 'no-restricted-imports'],
  ['lib/tunnel/a.ts', "import '../../client/a.ts'", 'no-restricted-imports'],
  ['lib/a.ts', "import '../server.ts'", 'no-restricted-imports'],
  ['lib/a.ts', "import 'node:process'", 'no-restricted-imports'],
  ['lib/a.ts', 'export const home = process.env.HOME', 'no-process-env'],
  ['server.ts', 'export const home = process.env.HOME', 'no-process-env'],
  ['routes/a.ts', "import '../plugins/session.ts'", 'no-restricted-imports'],
  ['routes/a.ts', "import './b.ts'", 'no-restricted-imports'],
  ['plugins/a.ts', "import './b.ts'", 'no-restricted-imports'],
  ['plugins/a.ts', "import './inbox/index.ts'", 'no-restricted-imports'],
  ['plugins/a.ts', "import '../routes/b.ts'", 'no-restricted-imports'],
  ['plugins/a.ts', "export * from '../client/b.ts'", 'no-restricted-imports'],
  ['plugins/a.ts', "export const b = () => import('../client/b.ts')", 'no-restricted-imports'],
  ['plugins/inbox/a.ts', "import '../session.ts'", 'no-restricted-imports'],
  ['plugins/inbox/a.ts', "import '../../client/b.ts'", 'no-restricted-imports'],
  ['client/shell/a.ts', "import '../../lib/config.ts'", 'no-restricted-imports'],
  ['client/a.ts', "import '../lib/fetch/page-fetch.ts'", 'no-restricted-imports'],
  ['client/shell/a.ts', "import '../../plugins/session.ts'", 'no-restricted-imports'],
  ['client/shell/a.ts', "import 'node:fs'", 'no-restricted-imports'],
  ['client/pages/a.tsx', "import '../../plugins/session.ts'", 'no-restricted-imports'],
  ['client/layouts/a.tsx', "import '../../server.ts'", 'no-restricted-imports'],
  ['client/pages/a.tsx', "export default () => <p style={{ color: 'red' }}>x</p>", 'forbid-dom-props'],
  ['client/pages/a.tsx', 'export default () => <img src="/a.png" />', 'alt-text'],
  ...[
    'setTimeout(() => fail(), 1)',
    'setImmediate(fail)',
    "socket.once('close', function left() { fail() })",
    "signal.addEventListener('abort', fail)",
    "socket.on('error', () => { resolve(); fail() })"
  ].map((code): [string, string, string] => ['plugins/a.ts', `${CALLBACKS}\n${code}`, 'safe-callbacks'])
]

const ALLOWED: [file: string, code: string][] = [
  ['lib/a.ts', "import './b.ts'"],
  ['lib/a.ts', "import type { SessionData } from '../../packages/shell/src/plugins/session.ts'\nexport type A = SessionData"],
  ['config.ts', 'export const home = process.env.HOME'],
  ['scripts/a.js', 'export const home = process.env.HOME'],
  ['server.ts', "import './plugins/session.ts'\nimport './routes/a.ts'\nimport './lib/config.ts'"],
  ['routes/a.ts', "import '../lib/errors.ts'"],
  ['plugins/a.ts', "import '../lib/errors.ts'"],
  ['plugins/a.ts', "import type { Session } from './session.ts'\nexport type A = Session"],
  ['plugins/inbox/a.ts', "import './store.ts'\nimport '../../lib/errors.ts'"],
  ['client/shell/a.ts', "import '../../lib/common/constants.ts'\nimport './b.ts'\nimport '../c.ts'"],
  ['client/shell/a.ts', "import type { Config } from '../../lib/config.ts'\nexport type A = Config"],
  ['client/pages/lab/a.tsx', "import '../../../lib/catalogue.ts'"],
  ...[
    'setTimeout(safeCallback(() => fail()), 1)',
    'setImmediate(safe)',
    "socket.once('close', resolve)",
    "socket.once('close', () => resolve())",
    "socket.on('error', () => {})"
  ].map((code): [string, string] => ['plugins/a.ts', `${CALLBACKS}\n${code}`])
]

t.test('the rules refuse', async (t) => {
  const folder = await createHouse(t)
  for (const [file, code, rule] of REFUSED) t.match(await lint(folder, file, code), rule, `${file}: ${code}`)
})

t.test('the rules allow', async (t) => {
  const folder = await createHouse(t)
  for (const [file, code] of ALLOWED) {
    t.notMatch(await lint(folder, file, code), /restricted|process-env|safe-callbacks/, `${file}: ${code}`)
  }
})

/** Outside the checkout, whose ignored folders oxlint leaves out. */
async function createHouse(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'hull-house-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await copyFile(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
  await mkdir(join(folder, 'scripts'))
  await copyFile(join(root, 'scripts/lint-rules.js'), join(folder, 'scripts/lint-rules.js'))
  return folder
}

async function lint(folder: string, file: string, code: string) {
  await mkdir(join(folder, dirname(file)), { recursive: true })
  await writeFile(join(folder, file), `${code}\n`)
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
  // oxlint does not start with tap's hooks
  const { output } = await runChild('env', bareNode(oxlint, file), { cwd: folder, capture: true })
  return output
}
