import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import type { UserConfig } from 'vite'
import { listPackageSources } from '../../../scripts/build.js'
import { withLock } from '../../../scripts/lock.js'
import type { HullOptions } from '../../shell/src/build/hull.ts'
import type { PageRootOptions } from '../../shell/src/build/pages/roots.ts'

const PROJECT = join(import.meta.dirname, '../../..')
const PAGES = /client[\\/](pages|layouts)$/
const APPLICATION = /client[\\/](pages|layouts|fallbacks|components|browser\.ts)$/
const ROOMS = [
  'pages',
  'layouts',
  'fallbacks',
  'components',
  'content',
  'messages',
  'styles',
  'icons',
  'images',
  'imports.d.ts',
  'context.ts',
  'browser.ts'
]
const SITES = join(PROJECT, '.hull/sites')

let sourcesHash: string | undefined

/** Files and folders with server code that the application's pages and plugins import. */
const SERVER_FOLDERS = ['plugins', 'routes', 'config.ts']

export interface TestSite {
  root: string
  dist: string
}

export interface SiteOptions {
  /** Leaves out the application's fallbacks, components and `browser.ts`. @default false */
  bare?: boolean
  /** Page roots beside `client/`, in the built folder. @default none */
  roots?: readonly PageRootOptions[]
  /** Prefix and CDN of the build. @default none */
  place?: Pick<HullOptions, 'basePath' | 'assetsUrl'>
  /** A team's Vite settings and plugins. */
  vite?: UserConfig
}

/**
 * The pages of packages/shell/test/fixtures/site in the project's own client folder. Built once per state of the
 * sources.
 */
export function buildFixtureSite(): Promise<TestSite> {
  return buildSite(join(PROJECT, 'packages/shell/test/fixtures/site'))
}

/**
 * Builds a site with the pages, layouts, fallbacks, styles and so on in `folder`; everything else is the project's own,
 * with the files of `plugins` and `routes` in `folder` added.
 * @throws errors of the build
 */
export async function buildSite(folder: string, options: SiteOptions = {}): Promise<TestSite> {
  // Once for a process: no test changes the sources of the project.
  sourcesHash ??= hashOf(
    ['client', ...listPackageSources(PROJECT), ...SERVER_FOLDERS].map((name) => join(PROJECT, name))
  )
  // Not the team's Vite settings: they may be functions, and the folder differs.
  const { bare, roots, place } = options
  const root = join(SITES, hashOf([folder], sourcesHash + JSON.stringify({ bare, roots, place })))
  // Test files that run at the same time build the same site only once.
  const build = async () => {
    if (!existsSync(root)) await buildInto(root, folder, options)
  }
  if (!existsSync(root)) await withLock(`${root}.lock`, build, () => {})
  return { root, dist: join(root, 'dist') }
}

/** Builds beside `root` and renames the result, so that a site is either complete or missing. */
async function buildInto(
  root: string,
  folder: string,
  { bare = false, roots = [], place, vite: { plugins, ...settings } = {} }: SiteOptions
): Promise<void> {
  // Loaded only to build: most test files find their site built.
  const [{ createBuilder }, { hull }, { monitoringBuild }] = await Promise.all([
    import('vite'),
    import('../../shell/src/build/hull.ts'),
    import('../../monitoring/src/server-sdk/vite-plugin.ts')
  ])
  const draft = `${root}-${process.pid}`
  try {
    writeSite(draft, folder, bare)
    for (const { folder: name } of roots)
      if (existsSync(join(folder, name))) cpSync(join(folder, name), join(draft, name), { recursive: true })
    const builder = await createBuilder({
      ...settings,
      plugins: [hull({ root: draft, roots, compress: false, ...place }), monitoringBuild(), ...(plugins ?? [])],
      configFile: false,
      logLevel: 'silent',
      mode: 'production'
    })
    await builder.buildApp()
    renameSync(draft, root)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function writeSite(root: string, folder: string, bare: boolean) {
  mkdirSync(root, { recursive: true })
  cpSync(join(PROJECT, 'client'), join(root, 'client'), {
    recursive: true,
    filter: (source) => !(bare ? APPLICATION : PAGES).test(source)
  })
  for (const room of ROOMS)
    if (existsSync(join(folder, room))) cpSync(join(folder, room), join(root, 'client', room), { recursive: true })
  // Copies the files: the build recognizes server code by its path, and resolves links.
  for (const name of SERVER_FOLDERS)
    for (const source of [join(PROJECT, name), join(folder, name)])
      if (existsSync(source)) cpSync(source, join(root, name), { recursive: true })
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ type: 'module', version: '0.0.0', dependencies, devDependencies })
  )
}

/**
 * Sets `compress: false` in the vite.config.ts of a copy of the application, which saves a sixth of the time of its
 * build.
 * @throws AssertionError if the file has no `hull({`
 */
export function leaveUncompressed(root: string): void {
  const file = join(root, 'vite.config.ts')
  const text = readFileSync(file, 'utf8')
  assert.match(text, /hull\(\{/)
  writeFileSync(file, text.replace('hull({', 'hull({\n      compress: false,'))
}

function hashOf(filesAndFolders: string[], options = ''): string {
  const hash = createHash('sha256').update(options)
  for (const folder of filesAndFolders) {
    const paths = statSync(folder).isFile() ? [''] : globSync('**/*', { cwd: folder }).sort()
    for (const path of paths) {
      const file = join(folder, path)
      if (statSync(file).isFile()) hash.update(path).update(readFileSync(file))
    }
  }
  return hash.digest('hex').slice(0, 16)
}

/** Address of a build's entry module. */
export function entryOf({ dist }: Pick<TestSite, 'dist'>): string {
  const html = readFileSync(join(dist, 'client/index.html'), 'utf8')
  return /<script type="module"[^>]* src="([^"]+)"/.exec(html)![1]!
}
