import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { bareNode } from '@hull/test-helpers/bare-node.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { leaveUncompressed } from '@hull/test-helpers/site.ts'
import { typeCheck } from '@hull/test-helpers/type-check.ts'
import { PARTS, removePart, type Part } from '../../../packages/create-hull/src/remove.ts'
import { OPTIONAL_PARTS } from '../../../packages/common/src/settings/settings.ts'
import { INBOX_SETTINGS } from '../../../packages/inbox/src/settings.ts'
import { LAB_SETTINGS } from '../../../routes/lab/settings.ts'
import { runChild } from '../../child.js'

const PROJECT = join(import.meta.dirname, '../../..')

/** Files of the application, without the tests and tools of Hull's repository. */
const APPLICATION = ['client', 'plugins', 'routes', 'config.ts', 'server.ts', 'vite.config.ts', 'package.json']
const PACKAGES = ['common', 'shell', 'monitoring', 'inbox']

const SECTIONS = { lab: '## Delete the lab\n', inbox: '## Delete the inbox\n' }

/** Program that starts the application in the current folder without a socket, and prints the status of three paths. */
const REQUEST_PAGES = `
  const { buildServer } = await import(process.cwd() + '/server.ts')
  const { readConfig } = await import(process.cwd() + '/config.ts')
  const app = await buildServer(readConfig({ ...process.env, DATA_DIR: 'data', LOG_LEVEL: 'silent' }), { print() {} })
  const answers = await Promise.all(['/', '/lab', '/inbox/sign-in'].map((url) => app.inject(url)))
  const named = ['Lab', 'Inbox'].map((label) => answers[0].body.includes('>' + label + '</a>'))
  await app.close()
  console.log(...answers.map(({ statusCode }) => statusCode), ...named)
`

t.test('the steps of docs/owning.md are the steps that this test performs', async (t) => {
  for (const [name, part] of Object.entries(PARTS)) {
    const section = readSection(name as keyof typeof PARTS)
    const [, first, second] = /^1\. Delete (.+)\n2\. .+\n((?: {3}- .+\n)+)/m.exec(section)!
    t.same(codesOf(first!), part.paths, name)
    const lines = second!.matchAll(/- `([^`]+)`: (.+)/g)
    t.same(Object.fromEntries(Array.from(lines, ([, file, texts]) => [file, codesOf(texts!)])), part.lines, name)
  }
})

t.test('the application builds and runs without the lab', async (t) => {
  const root = copyApplication(t)
  remove(t, root, PARTS.lab)
  await check(t, root, '200 404 200 false true')
  t.match(await startWith(root, { LAB: 'on' }), 'LAB would have no effect: config.ts lists no settings of the lab.')
})

t.test('the application builds and runs without the inbox', async (t) => {
  const root = copyApplication(t)
  remove(t, root, PARTS.inbox)
  await check(t, root, '200 200 404 true false')
  for (const variable of ['INBOX=on', 'INBOX_PASSWORD=at least 12 characters']) {
    const [name, value] = variable.split('=') as [string, string]
    const output = await startWith(root, { [name]: value })
    t.match(output, 'APP_CONFIG_PART_MISSING')
    t.match(output, `${name} would have no effect: config.ts lists no settings of the inbox. Remove it from the`)
    t.notMatch(output, 'at least 12', 'the error does not contain the secret')
  }
  t.match(await startWith(root, { INBOX: 'off', INBOX_SERVICE_HOST: '10.0.0.1' }), '200 200 404 true false')
})

t.test('OPTIONAL_PARTS lists all variables of the inbox and of the lab', async (t) => {
  const [inbox, lab] = OPTIONAL_PARTS
  t.same(
    inbox.variables,
    Object.values(INBOX_SETTINGS).map(({ variable }) => variable)
  )
  t.same(lab.variables, [LAB_SETTINGS.lab.variable])
})

t.test('removePart throws an error that names a missing line', async (t) => {
  const root = copyApplication(t)
  const part = { paths: ['plugins'], lines: { 'server.ts': ['no such text'] } }
  t.throws(() => removePart(root, part), { message: 'server.ts has no line with no such text' })
  t.ok(existsSync(join(root, 'plugins')), 'nothing is deleted')
})

/** Starts the built application with additional environment variables. @returns its output */
async function startWith(root: string, env: Record<string, string>): Promise<string> {
  const command = bareNode('--input-type=module', '--eval', REQUEST_PAGES)
  const { output } = await runChild('env', command, { cwd: root, env: { ...process.env, ...env }, capture: true })
  return output
}

function readSection(name: keyof typeof PARTS): string {
  const [, rest] = readFileSync(join(PROJECT, 'docs/owning.md'), 'utf8').split(SECTIONS[name])
  return rest!.split('\n## ')[0]!
}

function codesOf(text: string): string[] {
  return Array.from(text.matchAll(/`([^`]+)`/g), ([, code]) => code!)
}

/** Copies the application with the packages, so that every import of a deleted package fails. */
function copyApplication(t: Test): string {
  const root = createFolder(t)
  for (const path of APPLICATION) cpSync(join(PROJECT, path), join(root, path), { recursive: true })
  leaveUncompressed(root)
  cpSync(join(PROJECT, 'test/lab'), join(root, 'test/lab'), { recursive: true })
  const modules = join(root, 'node_modules')
  mkdirSync(join(modules, '@hull'), { recursive: true })
  for (const name of readdirSync(join(PROJECT, 'node_modules')))
    if (name !== '@hull') symlinkSync(join(PROJECT, 'node_modules', name), join(modules, name))
  for (const name of PACKAGES) {
    for (const path of ['src', 'package.json'])
      cpSync(join(PROJECT, 'packages', name, path), join(root, 'packages', name, path), { recursive: true })
    symlinkSync(join(root, 'packages', name), join(modules, '@hull', name))
  }
  return root
}

function remove(t: Test, root: string, part: Part) {
  for (const path of [...part.paths, ...Object.keys(part.lines)]) t.ok(existsSync(join(root, path)), path)
  removePart(root, part)
  for (const path of part.paths) t.notOk(existsSync(join(root, path)), path)
}

async function check(t: Test, root: string, expected: string) {
  const vite = bareNode(join(root, 'node_modules/vite/bin/vite.js'), 'build', '--app', '--logLevel', 'warn')
  const built = await runChild('env', vite, { cwd: root, capture: true })
  t.equal(built.code, 0, built.output)
  const sources = PACKAGES.map((name) => `packages/${name}/src`).filter((path) => existsSync(join(root, path)))
  const paths = ['client', 'plugins', 'routes', 'config.ts', 'server.ts', 'vite.config.ts', ...sources]
  // Without the generated types of paths, which do not fit the sources of the packages.
  paths.push('.hull/types/pages.ts')
  const types = await typeCheck({ root }, paths)
  t.equal(types.code, 0, types.output)
  const served = await runChild('env', bareNode('--input-type=module', '--eval', REQUEST_PAGES), {
    cwd: root,
    capture: true
  })
  t.match(served.output, expected)
}
