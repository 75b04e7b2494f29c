import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createBuilder } from 'vite'
import { hull, type HullOptions } from '../../src/build/hull.ts'
import { readBuild } from '../../src/server/build-id.ts'

const CLIENT = join(import.meta.dirname, '../../../../client')
/** End of a file's name. The hash has 8 characters, which may be hyphens. */
const HASH = /-[\w-]{8}\.js$/

const PAGE = 'export default () => <p>page</p>\n'

/**
 * Creates a small application.
 * @returns its `dist`, and a function that builds it with the code of its page `/`, and of other files by path
 */
function createProject(t: Test, options: HullOptions = {}) {
  const root = t.testdir({ 'package.json': '{ "type": "module" }', plugins: { 'rope.ts': 'export const rope = 1' } })
  for (const name of ['index.html', 'styles'])
    cpSync(join(CLIENT, name), join(root, 'client', name), { recursive: true })
  mkdirSync(join(root, 'client/public/html'), { recursive: true })
  writeFileSync(join(root, 'client/public/html/terms.html'), '')
  const build = async (code: string, others: Record<string, string> = {}) => {
    for (const [path, content] of Object.entries({ 'pages/index.tsx': code, ...others })) {
      mkdirSync(dirname(join(root, 'client', path)), { recursive: true })
      writeFileSync(join(root, 'client', path), content)
    }
    const plugins = [hull({ root, compress: false, ...options })]
    await (await createBuilder({ plugins, configFile: false, logLevel: 'silent', mode: 'production' })).buildApp()
  }
  return { root, dist: join(root, 'dist'), build }
}

t.test('a build has the public files, and no HTML template for each page', async (t) => {
  const { dist, build } = createProject(t)
  await build(PAGE)
  t.same(readdirSync(join(dist, 'client/html')), ['terms.html'])
})

t.test('a build waits for another process that builds the project', async (t) => {
  const { root, dist, build } = createProject(t)
  mkdirSync(join(root, '.hull'))
  const other = new DatabaseSync(join(root, '.hull/build-lock'))
  other.exec('BEGIN EXCLUSIVE')
  const built = build(PAGE)
  await pause(1_000)
  t.notOk(existsSync(dist), 'nothing is written meanwhile')
  other.close()
  await built
  t.match(readBuild(dist).id, /^[\da-f]{12}$/)
  const next = new DatabaseSync(join(root, '.hull/build-lock'))
  next.exec('BEGIN EXCLUSIVE; ROLLBACK')
  next.close()
})

t.test('a build whose server half fails does not count as finished', async (t) => {
  const { dist, build } = createProject(t)
  await build(PAGE)
  t.match(readBuild(dist).id, /^[\da-f]{12}$/)
  // Only the server half has getData.
  await t.rejects(
    build(`import { sail } from '../../plugins/rope.ts'\nexport const getData = () => sail\n${PAGE}`),
    /"sail" is not exported/
  )
  t.throws(() => readBuild(dist), /There is no finished build in .*: run "npm run build"/)
})

t.test('a change of a page or a fallback renames only its own file and the entry', async (t) => {
  const { dist, build } = createProject(t)
  const other = `import { Link } from '@hull/shell/client'\nexport default () => <Link href="/">other</Link>\n`
  const fallback = (text: string) => ({
    'pages/other.tsx': other,
    'fallbacks/not-found.tsx': `export default () => <p>${text}</p>`
  })
  const scripts = () => globSync('*.js', { cwd: join(dist, 'client/assets') })
  await build(PAGE, fallback('no page'))
  const first = new Set(scripts())
  const renamed = () =>
    scripts()
      .filter((file) => !first.has(file))
      .map((file) => file.replace(HASH, ''))
      .toSorted()
  await build(PAGE.replace('page<', 'changed<'), fallback('no page'))
  t.same(renamed(), ['index', 'pages'])
  await build(PAGE, fallback('there is no page'))
  t.same(renamed(), ['index'])
  t.ok(scripts().some((file) => file.startsWith('framework-')))
})

t.test('the components that many pages of another root use are in one file', async (t) => {
  const { root, dist, build } = createProject(t, { roots: [{ folder: 'shop', prefix: '/shop' }] })
  const write = (path: string, code: string) => {
    mkdirSync(dirname(join(root, 'shop', path)), { recursive: true })
    writeFileSync(join(root, 'shop', path), code)
  }
  for (const name of ['price', 'stock', 'few'])
    write(`components/${name}.tsx`, `export const ${name} = () => <p>{'component ${name}'}</p>\n`)
  for (const page of [1, 2, 3, 4, 5, 6]) {
    const names = [...(page > 1 ? ['price'] : []), ...(page < 6 ? ['stock'] : []), ...(page < 3 ? ['few'] : [])]
    const imports = names.map((name) => `import { ${name} } from '../components/${name}.tsx'\n`).join('')
    write(`pages/${page}.tsx`, `${imports}export default () => <main>{[${names}].map((each) => each())}</main>\n`)
  }
  await build(PAGE)
  const findFile = (text: string) =>
    globSync('client/assets/*.js', { cwd: dist }).filter((path) =>
      readFileSync(join(dist, path), 'utf8').includes(text)
    )
  t.match(findFile('component price'), [/shop-[\w-]{8}\.js$/])
  t.same(findFile('component stock'), findFile('component price'))
  t.notSame(findFile('component few'), findFile('component price'))
})
