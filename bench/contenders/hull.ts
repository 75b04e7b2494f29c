import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createApplication } from '../../packages/create-hull/src/create.ts'
import { packHull, type Packed } from '../../packages/create-hull/src/pack.ts'
import { readNodeFlags } from '../../scripts/node.js'
import type { ContenderName } from '../options.ts'
import type { Built } from '../servers.ts'
import { BENCH, copyInto, emptyFolder, folderOf, logOf, PROJECT, runNode, type Contender } from './contender.ts'

/** An application as `npm run create` writes it, with the bench's pages and layout: with the inbox, which keeps one trace in ten. */
export const hull = createHull('hull', true, { TRACES_SAMPLE_RATE: '0.1' })

/** As `npm run create -- --no-inbox` writes it, without a provider: nothing is reported. */
export const hullNoInbox = createHull('hull-no-inbox', false, {})

function createHull(name: ContenderName, inbox: boolean, settings: Record<string, string>): Contender {
  return {
    name,
    async prepare() {
      const folder = folderOf(name)
      await emptyFolder(folder)
      createApplication({ project: PROJECT, packed: getPacked(), folder, inbox, lab: false })
      await copyInto(join(folder, 'client'), join(BENCH, 'application'))
      await copyInto(join(folder, 'tree'), join(BENCH, 'tree'))
      await installPacked(folder)
      return build(name, folder, settings)
    }
  }
}

let packed: Packed | undefined

/** Hull's packages, packed once a run. */
const getPacked = (): Packed => (packed ??= packHull(PROJECT))

/** Builds an application and starts it by its own scripts. */
async function build(name: string, folder: string, settings: Record<string, string>): Promise<Built['launch']> {
  await runNode(name, { args: ['node_modules/vite/bin/vite.js', 'build', '--app'], cwd: folder, env: {} })
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const [, ...args] = (scripts.start as string).split(' ')
  // The event loop is watched as always, but a machine that is busy otherwise is no reason to refuse requests.
  const env = { LOG_LEVEL: 'info', MAX_EVENT_LOOP_DELAY: '60s', ...settings }
  return { args, cwd: folder, env, log: logOf(name) }
}

/**
 * The application without the inbox, which has been prepared, with more pages: each has a file, data and an address with
 * a parameter of its own.
 * @returns with the path of the last one
 */
export async function buildWithPages(count: number): Promise<{ built: Built; path: string }> {
  const name = `hull-pages-${count}`
  const folder = folderOf(name)
  await emptyFolder(folder)
  const source = folderOf('hull-no-inbox')
  for (const file of await readdir(source))
    if (!BUILT.includes(file)) await copyInto(join(folder, file), join(source, file))
  await symlink(join(source, 'node_modules'), join(folder, 'node_modules'))
  for (let page = 1; page <= count; page++) {
    const shelf = join(folder, `client/pages/shelf-${page}`)
    await mkdir(shelf)
    await writeFile(join(shelf, '[id].tsx'), createPage(page))
  }
  return { built: { name: 'hull-no-inbox', launch: await build(name, folder, {}) }, path: `/shelf-${count}/7` }
}

/** Written by a build or an install. */
const BUILT = ['dist', 'data', 'node_modules', '.hull']

const createPage = (page: number) => `import { Link, type Ctx, type PageProps } from '@hull/shell/client'
import { findItem } from '../../../tree/data.ts'
import { Detail } from '../../../tree/detail.tsx'

export async function getData({ params }: Ctx<'/shelf-${page}/[id]'>) {
  return { item: (await findItem(params.id))! }
}

export const getMeta = () => ({ title: 'Shelf ${page}' })

export default function Shelf${page}Page({ data }: PageProps<typeof getData>) {
  return <Detail item={data.item} Link={Link} />
}
`

/** Installs the application without a registry: Hull as it was packed, and everything else as it is installed here. */
async function installPacked(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  const installed = join(PROJECT, 'node_modules')
  await mkdir(join(modules, '@hull'), { recursive: true })
  for (const name of await readdir(installed))
    if (name !== '@hull') await symlink(await realpath(join(installed, name)), join(modules, name))
  for (const file of globSync('vendor/*.tgz', { cwd: folder })) {
    const target = join(modules, '@hull', toPackageName(file))
    await mkdir(target)
    execFileSync('tar', ['-xzf', join(folder, file), '-C', target, '--strip-components=1'])
  }
}

/** `vendor/hull-shell-0.1.0.tgz` is `@hull/shell`. */
const toPackageName = (file: string) =>
  basename(file)
    .replace(/^hull-/, '')
    .replace(/-\d.*$/, '')

/** Parts that serving pages does not need. Names with a dot in front are left out too: a local .env would change what is measured. */
const LEFT_OUT = ['bench', 'data', 'dist', 'docs', 'node_modules', 'test']

/** This project with its own pages, the lab's and the inbox's among them, started as `npm start` does. */
export async function buildOwnPages(): Promise<Built> {
  const name = 'hull-own-pages'
  const folder = folderOf(name)
  await emptyFolder(folder)
  const names = (await readdir(PROJECT)).filter((file) => !file.startsWith('.') && !LEFT_OUT.includes(file))
  for (const file of names) await copyInto(join(folder, file), join(PROJECT, file))
  await symlink(await realpath(join(PROJECT, 'node_modules')), join(folder, 'node_modules'))
  await runNode(name, { args: ['node_modules/vite/bin/vite.js', 'build', '--app'], cwd: folder, env: {} })
  const env = { LAB: '1', INBOX: '1', LOG_LEVEL: 'info', NODE_COMPILE_CACHE: join(folder, '.hull/compile-cache') }
  return {
    name: 'hull',
    launch: {
      args: [...readNodeFlags(PROJECT), '--import=@hull/shell/start', 'server.ts'],
      cwd: folder,
      env,
      log: logOf(name)
    }
  }
}
