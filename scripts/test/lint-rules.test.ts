import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { runChild } from '../child.js'
import { bareNode } from '../../packages/test-helpers/src/bare-node.ts'

/*
 * Tests the lint rules in scripts/lint-rules.js and .oxlintrc.json, since a rule with a wrong pattern never reports
 * anything. Each case is a file that a rule must refuse, or must allow.
 */
const root = fileURLToPath(new URL('../..', import.meta.url))

const CALLBACKS = `import type { Socket } from 'node:net'
import { safeCallback } from '@hull/common/safe-callback.ts'
declare const socket: Socket, signal: AbortSignal, fail: () => void, resolve: () => void
export const safe = safeCallback(fail)`

const SHELL = 'packages/shell/src'
const MONITORING = 'packages/monitoring/src'
const INBOX = 'packages/inbox/src'

const REFUSED: [file: string, code: string, rule: string][] = [
  // Imports between packages
  [`${SHELL}/render/a.ts`, "import '@hull/monitoring'", 'directions'],
  [`${SHELL}/render/a.ts`, "import type { A } from '@hull/inbox'\nexport type B = A", 'directions'],
  [`${SHELL}/render/a.ts`, "import '../../../monitoring/src/spool/b.ts'", 'directions'],
  [`${SHELL}/render/a.ts`, "import '../../../../server.ts'", 'directions'],
  [`${SHELL}/client/a.ts`, "export const load = () => import('../../../../client/a.ts')", 'directions'],
  [`${MONITORING}/a.ts`, "export * from '@hull/shell'", 'directions'],
  [`${MONITORING}/a.ts`, "import 'react'", 'directions'],
  ['packages/common/src/a.ts', "import 'fastify'", 'directions'],
  ['packages/common/src/a.ts', "import '@hull/shell'", 'directions'],
  [`${INBOX}/a.ts`, "import '@hull/shell/render/renderer.ts'", 'directions'],
  [`${INBOX}/a.ts`, "import '../../../plugins/session.ts'", 'directions'],
  ['server.ts', "import '@hull/shell/render/renderer.ts'", 'directions'],
  ['server.ts', "import './packages/shell/src/index.ts'", 'directions'],
  ['plugins/a.ts', "import '@hull/common/errors.ts'", 'directions'],
  // Imports between folders
  ['plugins/a.ts', "import './b.ts'", 'directions'],
  ['plugins/inbox/a.ts', "import '../session.ts'", 'directions'],
  [`${SHELL}/plugins/a.ts`, "export const b = () => import('./b.ts')", 'directions'],
  [`${SHELL}/client/a.ts`, "import '../render/b.ts'", 'directions'],
  [`${SHELL}/client/a.ts`, "import 'node:fs'", 'directions'],
  [`${MONITORING}/browser-sdk/a.ts`, "import '../tracing/b.ts'", 'directions'],
  ['routes/a.ts', "import './b.ts'", 'directions'],
  // The environment
  [`${SHELL}/a.ts`, "import 'node:process'", 'no-restricted-imports'],
  [`${SHELL}/a.ts`, 'export const home = process.env.HOME', 'no-process-env'],
  ['server.ts', 'export const home = process.env.HOME', 'no-process-env'],
  // Markup
  ['client/pages/a.tsx', "export default () => <p style={{ color: 'red' }}>x</p>", 'forbid-dom-props'],
  ['client/pages/a.tsx', 'export default () => <img src="/a.png" />', 'alt-text'],
  ...[
    'setTimeout(() => fail(), 1)',
    'setImmediate(fail)',
    "socket.once('close', function left() { fail() })",
    "signal.addEventListener('abort', fail)",
    "socket.on('error', () => { resolve(); fail() })"
  ].map((code): [string, string, string] => [`${SHELL}/plugins/a.ts`, `${CALLBACKS}\n${code}`, 'safe-callbacks'])
]

const ALLOWED: [file: string, code: string][] = [
  [`${SHELL}/render/a.ts`, "import '@hull/common/errors.ts'\nimport '../http/b.ts'"],
  [`${SHELL}/config/config.ts`, 'export const home = process.env.HOME'],
  [`${SHELL}/client/a.ts`, "import '../routing/b.ts'\nimport './b.ts'\nimport '@hull/common/constants.ts'"],
  ['packages/common/src/a.ts', "import type { FastifyInstance } from 'fastify'\nexport type A = FastifyInstance"],
  [`${SHELL}/client/a.ts`, "import type { Site } from '../render/site.ts'\nexport type A = Site"],
  [`${SHELL}/plugins/a.ts`, "import type { Session } from './session.ts'\nexport type A = Session"],
  [`${SHELL}/plugins/pages/a.ts`, "import './b.ts'"],
  [`${INBOX}/a.ts`, "import '@hull/shell'\nimport '@hull/monitoring'\nimport '@hull/common/errors.ts'"],
  ['packages/inbox/src/server.ts', "import './config.ts'\nimport '@hull/shell'"],
  [`${INBOX}/web/components/a.tsx`, "import '@hull/shell/client'\nimport '../view.ts'"],
  ['scripts/a.js', 'export const home = process.env.HOME'],
  ['server.ts', "import './plugins/session.ts'\nimport './routes/a.ts'\nimport '@hull/shell'"],
  ['vite.config.ts', "import '@hull/shell/vite'"],
  ['plugins/a.ts', "import '@hull/monitoring'"],
  ['plugins/inbox/a.ts', "import './store.ts'"],
  ['routes/lab.ts', "import './lab/items.ts'"],
  ['client/pages/a.tsx', "import '@hull/shell/client'\nimport '../components/b.tsx'"],
  ...[
    'setTimeout(safeCallback(() => fail()), 1)',
    'setImmediate(safe)',
    "socket.once('close', resolve)",
    "socket.once('close', () => resolve())",
    "socket.on('error', () => {})"
  ].map((code): [string, string] => [`${SHELL}/plugins/a.ts`, `${CALLBACKS}\n${code}`])
]

t.test('the rules refuse forbidden imports, environment variables, markup and callbacks', async (t) => {
  const reports = await lint(t, REFUSED)
  for (const [index, [file, code, rule]] of REFUSED.entries())
    t.match(reports[index]?.join(' '), rule, `${file}: ${code}`)
})

t.test('the rules allow permitted imports, environment variables and callbacks', async (t) => {
  const reports = await lint(t, ALLOWED)
  for (const [index, [file, code]] of ALLOWED.entries())
    t.notMatch(reports[index]?.join(' '), /restricted|process-env|safe-callbacks|directions/, `${file}: ${code}`)
})

/**
 * Returns for each case the names of the rules that it breaks. Cases with the same path are linted one after the other,
 * all other cases in one run.
 */
async function lint(t: Test, cases: readonly (readonly [file: string, code: string, ...rest: string[]])[]) {
  const folder = await createLintFolder(t)
  const reports: string[][] = []
  for (let pending = [...cases.entries()]; pending.length > 0;) {
    const batch = new Map(pending.map((entry) => [entry[1][0], entry]))
    for (const [file, [, [, code]]] of batch) {
      await mkdir(join(folder, dirname(file)), { recursive: true })
      await writeFile(join(folder, file), `${code}\n`)
    }
    const broken = await runLinter(folder, [...batch.keys()])
    for (const [file, [index]] of batch) reports[index] = broken.get(file) ?? []
    const done = new Set([...batch.values()].map(([index]) => index))
    pending = pending.filter(([index]) => !done.has(index))
  }
  return reports
}

/**
 * Creates a folder with the lint rules, outside of the checkout, because oxlint skips ignored folders of the checkout.
 */
async function createLintFolder(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'hull-lint-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await copyFile(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
  await mkdir(join(folder, 'scripts'))
  await copyFile(join(root, 'scripts/lint-rules.js'), join(folder, 'scripts/lint-rules.js'))
  return folder
}

/** Lints the files, and returns the names of the rules that each file breaks. */
async function runLinter(folder: string, files: string[]): Promise<Map<string, string[]>> {
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
  // oxlint does not start with hooks in NODE_OPTIONS.
  const command = bareNode(oxlint, '--format=json', ...files)
  const { output } = await runChild('env', command, { cwd: folder, capture: true })
  const { diagnostics, number_of_files: count } = JSON.parse(output) as {
    diagnostics: { code: string; filename: string }[]
    number_of_files: number
  }
  if (count !== files.length) throw new Error(`oxlint has linted ${count} of ${files.length} files`)
  const broken = Map.groupBy(diagnostics, ({ filename }) => filename)
  return new Map([...broken].map(([file, found]) => [file, found.map(({ code }) => code)]))
}
