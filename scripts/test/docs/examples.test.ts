import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { bareNode } from '@hull/test-helpers/bare-node.ts'
import { writeExamples } from '@hull/test-helpers/doc-examples.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { typeCheck } from '@hull/test-helpers/type-check.ts'
import { runChild } from '../../child.js'

const ROOT = join(import.meta.dirname, '../../..')

/** Documents whose examples are JavaScript; channels.test.ts runs them. */
const UNTYPED = new Set(['docs/channels.md'])

const FILES = globSync(['*.md', 'docs/*.md', 'packages/inbox/docs/*.md'], { cwd: ROOT })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !UNTYPED.has(file))

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

t.test('each example in TypeScript names its file in its first line', async (t) => {
  for (const file of FILES)
    for (const [, line] of read(file).matchAll(/^```tsx?\n(.*)/gm)) t.match(line, /^\/\/ \S+\.tsx?$/, file)
})

const runNode = (cwd: string, ...args: string[]) => runChild('env', bareNode(...args), { cwd, capture: true })

t.test('the examples of all documents are type-checked', async (t) => {
  const folder = createFolder(t)
  for (const file of FILES) writeExamples(file, join(folder, basename(file, '.md')))
  const { code, output } = await typeCheck({ root: folder }, ['**/*'])
  t.equal(code, 0, output)
})

t.test('the examples of docs/http.md are type-checked in an application whose addresses are types', async (t) => {
  const folder = createFolder(t)
  writeExamples('docs/http.md', folder)
  // As the build writes it, for an application with one page.
  const paths =
    "import type {} from '@hull/shell/client'\ndeclare module '@hull/shell/client' { interface PagePaths { '/': true } }"
  writeFileSync(join(folder, 'hrefs.ts'), paths)
  // As config.ts declares it.
  const config = "import type {} from 'fastify'\ndeclare module 'fastify' { interface HullConfig { dataDir: string } }"
  writeFileSync(join(folder, 'settings.ts'), config)
  const { code, output } = await typeCheck({ root: folder }, ['**/*'])
  t.equal(code, 0, output)
})

t.test('the tests of docs/testing.md pass', async (t) => {
  const folder = createFolder(t)
  writeExamples('docs/testing.md', folder)
  for (const file of globSync('**/*.test.ts', { cwd: folder })) {
    const { code, output } = await runNode(folder, join(folder, file))
    t.equal(code, 0, `${file}\n${output}`)
  }
})
