import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createBuilder } from 'vite'
import { hull } from '../../../packages/shell/src/build/hull.ts'
import { monitoringBuild } from '../../../packages/monitoring/src/server-sdk/vite-plugin.ts'
import { runChild } from '../../child.js'
import { bareNode } from '@hull/test-helpers/bare-node.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { typeCheck } from '@hull/test-helpers/type-check.ts'

const PROJECT = join(import.meta.dirname, '../../..')
const ROOMS = ['client', 'lib', 'plugins', 'routes', 'scripts', 'server.ts', 'package.json']

/** Starts the application of the current folder without a socket, and asks for its home page. */
const ASK = `
  const { buildServer } = await import(process.cwd() + '/server.ts')
  const { readConfig } = await import(process.cwd() + '/lib/config.ts')
  const app = await buildServer(readConfig({ DATA_DIR: 'data', LOG_LEVEL: 'silent', INBOX: 'off' }))
  const answers = [await app.inject('/'), await app.inject('/lab')]
  await app.close()
  console.log(answers.map(({ statusCode, body }) => statusCode + ' ' + body.includes('A home page of our own')).join())
`

t.test('without the lab, as docs/owning.md deletes it, the types hold, pages are built, and served', async (t) => {
  const root = createFolder(t)
  for (const room of ROOMS) cpSync(join(PROJECT, room), join(root, room), { recursive: true })
  symlinkSync(join(PROJECT, 'node_modules'), join(root, 'node_modules'))

  const [, section] = readFileSync(join(PROJECT, 'docs/owning.md'), 'utf8').split('## Deleting the lab')
  const paths = [...section!.match(/^1\. Delete .+$/m)![0].matchAll(/`([^`]+)`/g)].map(([, path]) => join(root, path!))
  t.equal(paths.length, 6)
  for (const path of paths) {
    t.ok(existsSync(path), path)
    rmSync(path, { recursive: true })
  }

  /** Takes out what matches, which has to be there. */
  function edit(file: string, ...changes: Array<[from: RegExp, to?: string]>) {
    let text = readFileSync(join(root, file), 'utf8')
    for (const [from, to = ''] of changes) {
      t.match(text, from, file)
      text = text.replace(from, to)
    }
    writeFileSync(join(root, file), text)
  }
  edit('server.ts', [/^.*routes\/lab\.ts.*\n/m])
  edit(
    'client/layouts/default.tsx',
    [/ lab: publicConfig\.lab,/],
    [/ publicConfig,/],
    [/ lab,/],
    [/ {2}if \(lab\)\n {4}nav\.push\(\{[^]*?\n {4}\}\)\n/]
  )
  writeFileSync(
    join(root, 'client/pages/index.tsx'),
    'export default function HomePage() {\n  return <h1>A home page of our own</h1>\n}\n'
  )
  edit('packages/inbox/src/web/pages/index.tsx', [/^ {4}lab: .*\n/m], [/, lab \}/, ' }'], [/ lab=\{lab\}/])
  edit(
    'packages/inbox/src/web/components/overview.tsx',
    [/\{ lab \}: \{ lab: boolean \}/],
    [/ {8}\{lab \? \([^]*?\n {8}\)\}\n/]
  )
  edit(
    'packages/inbox/src/web/pages/issues/index.tsx',
    [/^ {4}lab: .*\n/m],
    [/, lab \} = data/, ' } = data'],
    [/^ +lab=\{lab\}\n/m]
  )
  edit(
    'packages/inbox/src/web/components/issue-list.tsx',
    [/^ {2}\/\*\* The lab is switched on\. \*\/\n {2}lab: boolean\n/m],
    [/, lab \}: IssueListProps/, ' }: IssueListProps'],
    [/ lab=\{lab\}/],
    [/, wider, lab \}: (.*); lab: boolean \}/, ', wider }: $1 }'],
    [/ {6}\{query === 'is:unresolved' && lab && \([^]*?\n {6}\)\}\n/]
  )
  edit(
    'config.ts',
    [/^import \{ toFlag \}.*\n/m],
    [/ {2}lab: setting\(\{[^]*?\n {2}\}\),?\n/],
    [/ lab, signInPath,/],
    [/^ {2}values\.lab = .*\n/m],
    [/^ {2}values\.signInPath = .*\n/m],
    [/\{ environment, lab \}: Config\) => \(\{ environment, lab \}\)/, '{ environment }: Config) => ({ environment })'],
    [/otherwise: '\/lab\/sign-in while the lab is on'/, "otherwise: 'nothing'"]
  )

  const builder = await createBuilder({
    plugins: [hull({ root }), monitoringBuild()],
    configFile: false,
    logLevel: 'silent',
    mode: 'production'
  })
  await builder.buildApp()
  const types = await typeCheck({ root, dist: join(root, 'dist') }, ['client', 'lib', 'plugins', 'routes', 'server.ts'])
  t.equal(types.code, 0, types.output)
  const served = await runChild('env', bareNode('--input-type=module', '--eval', ASK), { cwd: root, capture: true })
  t.match(served.output, '200 true,404 false')
})
