import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ContenderName } from '../options.ts'
import type { Provider } from '../provider.ts'
import { BENCH, copyInto, emptyFolder, folderOf, logOf, runNode, type Contender } from './contender.ts'

export interface PeerOptions {
  name: ContenderName
  /** Folders of `bench/peers`; files of a later folder replace those of an earlier one. @default the folder `name` */
  sources?: string[]
  /** Arguments of `node` that build the peer. */
  build: string[]
  /** Arguments of `node` that start its server. */
  serve: string[]
  /** @default NODE_ENV=production */
  env?: (provider: Provider) => Record<string, string>
}

const STAMP = '.installed'

/**
 * Creates a contender from `bench/peers/<name>`, which is installed with its own lock file, apart from this repository.
 */
export function createPeer({ name, sources = [name], build, serve, env = inProduction }: PeerOptions): Contender {
  const folder = folderOf(name)
  return {
    name,
    async prepare(provider) {
      await emptyFolder(folder, ['node_modules', STAMP])
      for (const source of sources) await copyInto(folder, join(BENCH, 'peers', source))
      await copyInto(join(folder, 'tree'), join(BENCH, 'tree'))
      await install(name, folder)
      const launch = { cwd: folder, env: env(provider) }
      await runNode(name, { args: build, ...launch })
      return { args: serve, ...launch, log: logOf(name) }
    }
  }
}

const inProduction = () => ({ NODE_ENV: 'production' })

/** Runs `npm ci`, once for each lock file, platform and version of Node. */
async function install(name: string, folder: string): Promise<void> {
  const lock = await readFile(join(folder, 'package-lock.json'), 'utf8')
  const wanted = [process.platform, process.arch, process.version, lock].join('\n')
  const installed = await readFile(join(folder, STAMP), 'utf8').catch(() => '')
  if (installed === wanted) return
  await runNode(name, { args: [findNpm(), 'ci', '--no-audit', '--no-fund'], cwd: folder, env: installEnv() })
  await writeFile(join(folder, STAMP), wanted)
}

/** Finds the npm that runs this script. @throws Error if npm does not run it */
function findNpm(): string {
  const npm = process.env.npm_execpath
  if (!npm) throw new Error('npm must install the peers: start the bench with "npm run bench -- --peers"')
  return npm
}

/** Environment for `npm ci`: keeps proxies and registries, without the outer npm's settings for this repository. */
function installEnv(): Record<string, string> {
  const outer = /^(node_env|npm_config_(omit|only|production|global|dry_run|prefix|local_prefix))$/i
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => !outer.test(entry[0]))
  )
}
