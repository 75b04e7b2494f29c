import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** The parts of the repository's package.json that are read. */
interface RootManifest {
  config: { nodeFlags: string }
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  peerDependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  overrides: Record<string, unknown>
}

/** npm packages that an application imports itself, or that Hull's packages need as peers. */
const DEPENDENCIES = ['fastify', 'fastify-plugin', 'react', 'react-dom']
const DEVELOPMENT = ['@types/node', '@types/react', '@types/react-dom', 'playwright', 'typescript']

/** The minimum of scripts/node.js. */
export const ENGINES = { node: '>=24.21.0' }

/** Used by the lab. */
const LAB_DEPENDENCY = 'lru-cache'

/** Makes Node cache compiled code, and load the packages as the build has bundled them. */
const BUNDLED = '--import=@hull/shell/start'

/**
 * The package.json of a new application.
 * @param root package.json of the repository
 * @param options.folder folder of the application, with its files
 * @param options.hull Hull's packages with their versions or files
 */
export function toManifest(root: RootManifest, { folder, hull }: { folder: string; hull: Record<string, string> }) {
  const pick = (names: string[], from: Record<string, string>) =>
    Object.fromEntries(names.map((name) => [name, from[name]!]))
  const usesLab = globSync('routes/**/*.ts', { cwd: folder }).some((file) =>
    readFileSync(join(folder, file), 'utf8').includes(`'${LAB_DEPENDENCY}'`)
  )
  return {
    name: toName(folder),
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: ENGINES,
    scripts: {
      // Without the list of files: nearly all of them are the inbox's.
      build: 'vite build --app --logLevel warn',
      prestart: 'npm run build',
      start: `node ${root.config.nodeFlags} ${BUNDLED} server.ts`,
      dev: 'hull-dev',
      routes: 'hull-routes',
      preexport: 'npm run build',
      export: toExportCommand({ inbox: '@hull/inbox' in hull, lab: usesLab }),
      types: 'hull-types && tsc',
      pretest: 'npm run build',
      // Double quotes, which a shell of Windows removes too.
      test: 'node --test "test/**/*.test.ts"'
    },
    dependencies: { ...hull, ...pick([...DEPENDENCIES, ...(usesLab ? [LAB_DEPENDENCY] : [])], root.dependencies) },
    devDependencies: pick(DEVELOPMENT, root.devDependencies),
    // Vite: the Dockerfile explains it.
    peerDependencies: root.peerDependencies,
    // Node itself, for machines with an older version: npm scripts find it first.
    optionalDependencies: root.optionalDependencies,
    overrides: { '@fastify/react': root.overrides['@fastify/react'] }
  }
}

/** Leaves out the parts that need the server. */
function toExportCommand(parts: Record<string, boolean>): string {
  const names = Object.keys(parts).filter((name) => parts[name])
  return ['hull-export', ...names.map((name) => `--set=${name.toUpperCase()}=off --exclude=/${name}`)].join(' ')
}

/** A valid npm package name for a folder. */
const toName = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._~-]+/g, '-')
    .replace(/^[._-]+/, '') || 'app'
