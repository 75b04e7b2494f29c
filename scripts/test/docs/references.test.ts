import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { OLDEST_NODE } from '../../node.js'

const ROOT = join(import.meta.dirname, '../../..')
const FILES = globSync(
  ['*.md', 'docs/**/*.md', 'bench/*.md', 'packages/*/*.md', 'packages/*/docs/*.md', 'packages/*/test/**/README.md'],
  {
    cwd: ROOT,
    exclude: ['**/node_modules/**']
  }
).sort()

/** Text without code blocks, whose paths are examples. */
const proseOf = (text: string) => text.replace(/^```[^]*?^```$/gm, '')

const read = (file: string) => proseOf(readFileSync(join(ROOT, file), 'utf8'))

/** Converts a heading to the anchor that GitHub gives it. */
const toAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

const anchorsOf = (file: string) =>
  [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    toAnchor(heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
  )

t.test('every relative link leads to a file, and to a heading in it', async (t) => {
  for (const file of FILES) {
    for (const [, target] of read(file).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue
      const [path, anchor] = target!.split('#') as [string, string?]
      const linked = path === '' ? file : join(dirname(file), path)
      t.ok(existsSync(join(ROOT, linked)), `${file}: ${target}`)
      if (anchor !== undefined) t.ok(anchorsOf(linked).includes(anchor), `${file}: ${target}`)
    }
  }
})

/** Paths of the repository; also those in `lib/`, where the code used to be, so that outdated documents are found. */
const PATHS =
  /^(?:(?:client|lib|packages|plugins|routes|scripts|test|bench|docs)\/[^\s<>…]+|(?:server|config|vite\.config)\.ts)$/

/** Files that a reader may add, or that a command creates. */
const EXAMPLES = new Set([
  'docs/decisions/NNN-title.md',
  'bench/.cache',
  'client/context.ts',
  'client/pages/**/*.jsx',
  'docs/[...path].tsx',
  'docs/[path+].tsx',
  'routes/api/users/index.ts'
])

/** Paths of the examples in a document. */
const examplesOf = (file: string) =>
  Array.from(readFileSync(join(ROOT, file), 'utf8').matchAll(/^```tsx?\n\/\/ (\S+)$/gm), ([, path]) => path!)

t.test('every file and folder that a document names exists', async (t) => {
  for (const file of FILES) {
    const examples = examplesOf(file)
    for (const [, code] of read(file).matchAll(/`([^`\n]+)`/g)) {
      if (!PATHS.test(code!) || EXAMPLES.has(code!) || examples.includes(code!)) continue
      // `existsSync` finds file names with brackets, which `globSync` would take for a pattern.
      const isThere = existsSync(join(ROOT, code!)) || globSync(code!, { cwd: ROOT }).length > 0
      t.ok(isThere, `${file}: ${code}`)
    }
  }
})

t.test('no table is interrupted by a blank line', async (t) => {
  for (const file of FILES) {
    const lines = read(file).split('\n')
    for (const [at, line] of lines.entries()) {
      const begins = line.startsWith('|') && !lines[at - 1]?.startsWith('|')
      if (begins) t.match(lines[at + 1], /^\|[\s:|-]+\|$/, `${file}:${at + 1}`)
    }
  }
})

t.test('documents and manifests name the version of Node that the server needs', async (t) => {
  const [version] = /^\d+\.\d+/.exec(OLDEST_NODE)!
  for (const file of ['README.md', 'CONTRIBUTING.md', 'docs/start.md'])
    t.same([...new Set(read(file).match(/Node 2[1-9](\.\d+)?/g))], [`Node ${version}`], file)
  const { engines, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    engines: { node: string }
    optionalDependencies: Record<string, string>
  }
  t.equal(engines.node, '>=20')
  t.same(new Set(Object.values(optionalDependencies)), new Set([OLDEST_NODE]))
  t.match(read('packages/inbox/src/hull-inbox.ts'), `OLDEST_NODE = '${version}'`)
})
