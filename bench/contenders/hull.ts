import { readdir, realpath, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { BENCH, copyInto, emptyFolder, folderOf, logOf, PROJECT, runNode, type Contender } from './contender.ts'

const folder = folderOf('hull')
/** What serving pages does not take. Names with a dot in front are left out too: a local .env would change what is measured. */
const LEFT_OUT = ['bench', 'data', 'dist', 'docs', 'node_modules', 'test']

/** This project with other pages: logging, security headers and request ids are on, as in production. */
export const hull: Contender = {
  name: 'hull',
  async prepare() {
    await emptyFolder(folder)
    await copyProject()
    await runNode('hull', { args: ['node_modules/vite/bin/vite.js', 'build', '--app'], cwd: folder, env: {} })
    // As `npm start` and the container have it: a young generation of 16 MiB, and what Node compiled is kept. The run that warms up fills it.
    // Nobody here keeps errors and traces; what that costs has measures of its own.
    const env = { LOG_LEVEL: 'info', LAB: '0', INBOX: '0', NODE_COMPILE_CACHE: join(folder, '.hull/compile-cache') }
    return { args: ['--min-semi-space-size=16', 'server.ts'], cwd: folder, env, log: logOf('hull') }
  }
}

async function copyProject(): Promise<void> {
  const names = (await readdir(PROJECT)).filter((name) => !name.startsWith('.') && !LEFT_OUT.includes(name))
  for (const name of names) await copyInto(join(folder, name), join(PROJECT, name))
  await rm(join(folder, 'client/pages'), { recursive: true })
  // beside each other as here, so that the pages' imports hold
  await copyInto(join(folder, 'client/pages'), join(BENCH, 'pages'))
  await copyInto(join(folder, 'client/tree'), join(BENCH, 'tree'))
  await symlink(await realpath(join(PROJECT, 'node_modules')), join(folder, 'node_modules'))
}
