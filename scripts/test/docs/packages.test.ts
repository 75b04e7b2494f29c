import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { listen } from '@hull/test-helpers/listen.ts'
import { buildSite } from '@hull/test-helpers/site.ts'
import { typeCheck } from '@hull/test-helpers/type-check.ts'
import { SETTINGS as SERVER_SETTINGS } from '../../../packages/inbox/src/config.ts'
import { INBOX_SETTINGS } from '../../../packages/inbox/src/settings.ts'
import { MONITORING_SETTINGS } from '../../../packages/monitoring/src/settings.ts'
import { SHELL_SETTINGS } from '../../../packages/shell/src/config/settings.ts'
import { toOptionRows } from './read-options.ts'

const ROOT = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const SETTINGS = { shell: SHELL_SETTINGS, monitoring: MONITORING_SETTINGS }

interface DocumentedSetting {
  variable: string
  meaning: string
  fallback?: string
  otherwise?: string
}

const toRow = ({ variable, fallback, otherwise, meaning }: DocumentedSetting) =>
  `| \`${variable}\` | ${fallback === undefined ? otherwise : `\`${fallback}\``} | ${meaning} |`

/** Rows of the first table in `text`. */
function rowsAfter(text: string): string[] {
  const lines = text.split('\n')
  const begin = lines.findIndex((line) => line.startsWith('| --- '))
  const length = lines.slice(begin + 1).findIndex((line) => !line.startsWith('|'))
  return lines.slice(begin + 1, begin + 1 + length)
}

const MARK = /(?:<!-- options [^\n]* -->\n)+/g

t.test('each plugin has a table of its options, with the texts of the docstrings', async (t) => {
  for (const name of ['shell', 'monitoring']) {
    const readme = read(`packages/${name}/README.md`)
    const documented = new Set<string>()
    for (const { 0: marks, index } of readme.matchAll(MARK)) {
      const expected = marks
        .trim()
        .split('\n')
        .flatMap((mark) => {
          const [file, name, , ...only] = mark.slice('<!-- options '.length, -' -->'.length).split(' ')
          documented.add(file!)
          return toOptionRows({ file: file!, name: name!, ...(only.length > 0 && { only }) })
        })
      t.strictSame(rowsAfter(readme.slice(index)), expected, marks)
    }
    const plugins = read(`packages/${name}/src/index.ts`).matchAll(/default as (\w+)\b.* from '\.\/(plugins\/[^']+)'/g)
    for (const [, plugin, file] of plugins) {
      t.match(readme, `### \`${plugin}\`\n`)
      const hasOptions = /fp<\w+>/.test(read(`packages/${name}/src/${file}`))
      const isListed = [...documented].some((path) => path.includes(file!.replace(/\/index\.ts$|\.ts$/, '')))
      t.equal(isListed, hasOptions, `${name}: ${plugin}`)
    }
  }
})

t.test('the tables of settings have one row for each setting of the package', async (t) => {
  for (const [name, settings] of Object.entries(SETTINGS)) {
    const [, rest] = read(`packages/${name}/README.md`).split('<!-- settings -->') as [string, string]
    t.strictSame(rowsAfter(rest), Object.values<DocumentedSetting>(settings).map(toRow), name)
  }
})

/** The table of the inbox has its own settings, and the settings of the page server that it needs. */
t.test("the inbox's README lists settings of its server, with their texts", async (t) => {
  const [, rest] = read('packages/inbox/README.md').split('## Settings\n') as [string, string]
  const listed = rowsAfter(rest)
  const all: DocumentedSetting[] = Object.values(SERVER_SETTINGS)
  const wanted = listed.map((row) => {
    const [, name] = /^\| `(\w+)` \|/.exec(row) ?? []
    const setting = all.find(({ variable }) => variable === name)
    return setting ? toRow(setting) : `${name} is a setting`
  })
  t.strictSame(listed, wanted)
  for (const { variable } of Object.values(INBOX_SETTINGS))
    t.equal(
      listed.some((row) => row.startsWith(`| \`${variable}\` |`)),
      variable !== INBOX_SETTINGS.inbox.variable,
      variable
    )
})

t.test('docs/README.md lists every document', async (t) => {
  const readme = read('docs/README.md')
  for (const name of readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md'))
    t.match(readme, `](${name})`)
})

t.test('each README lists all entries of its package', async (t) => {
  for (const folder of Object.keys(SETTINGS)) {
    const manifest = JSON.parse(read(`packages/${folder}/package.json`)) as { name: string; exports: object }
    const readme = read(`packages/${folder}/README.md`)
    for (const entry of Object.keys(manifest.exports)) t.match(readme, `| \`${join(manifest.name, entry)}\` |`)
  }
})

/** Writes the examples of a README to a folder, at the path in their first line. */
function writeExamples(name: string, folder: string) {
  for (const [, path, code] of read(`packages/${name}/README.md`).matchAll(/```tsx?\n\/\/ (\S+)\n([^]*?)```/g)) {
    mkdirSync(dirname(join(folder, path!)), { recursive: true })
    writeFileSync(join(folder, path!), code!)
  }
}

const load = async (file: string) =>
  (await import(file)) as Record<string, (...args: unknown[]) => Promise<FastifyInstance>>

/** Packages whose README has examples. */
const EXAMPLES = ['shell', 'monitoring', 'inbox', 'common', 'test-helpers']

t.test('the examples are type-checked', async (t) => {
  const folder = createFolder(t)
  for (const name of EXAMPLES) writeExamples(name, join(folder, name))
  const { code, output } = await typeCheck({ root: folder }, EXAMPLES)
  t.equal(code, 0, output)
})

t.test('the example of @hull/shell serves a page, without @hull/monitoring', async (t) => {
  const folder = createFolder(t)
  writeExamples('shell', folder)
  const site = await buildSite(join(folder, 'client'), { bare: true })
  const { buildServer } = await load(join(folder, 'server.ts'))
  const app = await buildServer!(site.root)
  t.teardown(() => app.close())
  const page = await app.inject('/')
  t.match([page.statusCode, page.body], [200, /<h1>Hello, it is/])
  t.match(await app.inject('/nothing'), { statusCode: 404 })
})

t.test('the example of @hull/monitoring accepts an envelope and delivers errors', async (t) => {
  const folder = createFolder(t)
  writeExamples('monitoring', folder)
  const provider = createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'))
  })
  const { port } = await listen(t, provider)
  const dsn = `http://0123456789abcdef0123456789abcdef@127.0.0.1:${port}/42`
  const { buildServer } = await load(join(folder, 'server.ts'))
  const app = await buildServer!(dsn, join(folder, 'spool.db'))
  t.teardown(() => app.close())
  app.get('/broken', async () => {
    throw new RangeError('broken on purpose')
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const delivered = once(provider, 'request')
  const broken = await fetch(`${origin}/broken`)
  t.equal(broken.status, 500)
  await delivered
  const posted = await fetch(`${origin}/monitoring`, {
    method: 'POST',
    headers: { origin, 'sec-fetch-site': 'same-origin' },
    body: `${JSON.stringify({ dsn })}\n{"type":"event"}\n{}\n`
  })
  t.equal(posted.status, 200)
})

t.test('the example of @hull/common reads a setting', async (t) => {
  const folder = createFolder(t)
  writeExamples('common', folder)
  t.match(await import(join(folder, 'example.ts')), { timeout: 2_000 })
})
