import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BENCH, copyInto, emptyFolder, folderOf, logOf, runNode, type Contender } from './contender.ts'

export interface PeerOptions<Name extends string> {
  name: Name
  /** Arguments of node that build it. */
  build: string[]
  /** Arguments of node that serve it. */
  serve: string[]
  env: Record<string, string>
}

const STAMP = '.installed'

/** A framework from `bench/peers/<name>`, installed by its own lock file apart from ours. */
export function createPeer<Name extends string>({ name, build, serve, env }: PeerOptions<Name>): Contender<Name> {
  const folder = folderOf(name)
  return {
    name,
    async prepare() {
      await emptyFolder(folder, ['node_modules', STAMP])
      await copyInto(folder, join(BENCH, 'peers', name))
      await copyInto(join(folder, 'tree'), join(BENCH, 'tree'))
      await install(name, folder)
      await runNode(name, { args: build, cwd: folder, env })
      return { args: serve, cwd: folder, env, log: logOf(name) }
    }
  }
}

/** `npm ci`, once for each lock file, platform and Node. */
async function install(name: string, folder: string): Promise<void> {
  const lock = await readFile(join(folder, 'package-lock.json'), 'utf8')
  const wanted = [process.platform, process.arch, process.version, lock].join('\n')
  const installed = await readFile(join(folder, STAMP), 'utf8').catch(() => '')
  if (installed === wanted) return
  await runNode(name, { args: [findNpm(), 'ci', '--no-audit', '--no-fund'], cwd: folder, env: installEnv() })
  await writeFile(join(folder, STAMP), wanted)
}

/** The npm that runs us. @throws Error when none does */
function findNpm(): string {
  const npm = process.env.npm_execpath
  if (!npm) throw new Error('The peers are installed by npm: start this with "npm run bench -- --peers"')
  return npm
}

/** Proxies and registries, but not what an outer npm was told about an outer project. */
function installEnv(): Record<string, string> {
  const outer = /^(node_env|npm_config_(omit|only|production|global|dry_run|prefix|local_prefix))$/i
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => !outer.test(entry[0]))
  )
}
