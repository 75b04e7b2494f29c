import { readdir, realpath, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Built } from '../servers.ts'
import { BENCH, copyInto, emptyFolder, folderOf, logOf, PROJECT, runNode, type Contender } from './contender.ts'

/** What serving pages does not take. Names with a dot in front are left out too: a local .env would change what is measured. */
const LEFT_OUT = ['bench', 'data', 'dist', 'docs', 'node_modules', 'test']

/** This project with other pages: logging, security headers and request ids are on, as in production. */
export const hull: Contender = {
  name: 'hull',
  async prepare() {
    const folder = folderOf('hull')
    await copyProject(folder)
    await rm(join(folder, 'client/pages'), { recursive: true })
    // beside each other as here, so that the pages' imports hold
    await copyInto(join(folder, 'client/pages'), join(BENCH, 'pages'))
    await copyInto(join(folder, 'client/tree'), join(BENCH, 'tree'))
    // Nobody here keeps errors and traces; what that costs has measures of its own.
    return build('hull', folder, { LAB: '0', INBOX: '0' })
  }
}

/** This project with its own pages, the lab's and the inbox's among them. */
export async function buildOwnPages(): Promise<Built> {
  const folder = folderOf('hull-own-pages')
  await copyProject(folder)
  return { name: 'hull', launch: await build('hull-own-pages', folder, { LAB: '1', INBOX: '1' }) }
}

async function build(name: string, folder: string, env: Record<string, string>): Promise<Built['launch']> {
  await runNode(name, { args: ['node_modules/vite/bin/vite.js', 'build', '--app'], cwd: folder, env: {} })
  // As `npm start` and the container have it: a young generation of 16 MiB, and what Node compiled is kept. The run that warms up fills it.
  const kept = { LOG_LEVEL: 'info', NODE_COMPILE_CACHE: join(folder, '.hull/compile-cache') }
  return { args: ['--min-semi-space-size=16', 'server.ts'], cwd: folder, env: { ...env, ...kept }, log: logOf(name) }
}

async function copyProject(folder: string): Promise<void> {
  await emptyFolder(folder)
  const names = (await readdir(PROJECT)).filter((name) => !name.startsWith('.') && !LEFT_OUT.includes(name))
  for (const name of names) await copyInto(join(folder, name), join(PROJECT, name))
  await symlink(await realpath(join(PROJECT, 'node_modules')), join(folder, 'node_modules'))
}
