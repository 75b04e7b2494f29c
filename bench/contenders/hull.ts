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

/**
 * An application as `npm run create` writes it, with the pages and the layout of the bench, and with the inbox, which
 * stores one trace in ten.
 */
export const hull = createHull('hull', true, { TRACES_SAMPLE_RATE: '0.1' })

/** An application as `npm run create -- --no-inbox` writes it, without a provider, so that it reports nothing. */
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

/** Hull's packages, which are packed once per run. */
const getPacked = (): Packed => (packed ??= packHull(PROJECT))

/** Builds an application. @returns how its own `start` script starts it */
async function build(name: string, folder: string, settings: Record<string, string>): Promise<Built['launch']> {
  await runNode(name, { args: ['node_modules/vite/bin/vite.js', 'build', '--app'], cwd: folder, env: {} })
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const [, ...args] = (scripts.start as string).split(' ')
  // The event loop is monitored as usual, but a machine that is busy with other work must not cause refused requests.
  const env = { LOG_LEVEL: 'info', MAX_EVENT_LOOP_DELAY: '60s', ...settings }
  return { args, cwd: folder, env, log: logOf(name) }
}

/**
 * Builds a copy of the prepared application without the inbox, with additional pages: each has a file of its own, data,
 * and a path with a parameter.
 * @returns the application, and the path of its last page
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

/** Files and folders that a build or an install writes. */
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

/**
 * Installs the application without a registry: the packed packages of Hull, and links to the other packages of this
 * repository.
 */
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

/** Converts `vendor/hull-shell-0.1.0.tgz` to `shell`. */
const toPackageName = (file: string) =>
  basename(file)
    .replace(/^hull-/, '')
    .replace(/-\d.*$/, '')

/**
 * Folders that serving pages does not need. Files and folders whose names begin with a dot are left out too, because a
 * local .env would change the measured application.
 */
const LEFT_OUT = ['bench', 'data', 'dist', 'docs', 'node_modules', 'test']

/** Builds this project with its own pages, including the lab and the inbox. @returns how `npm start` starts it */
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
