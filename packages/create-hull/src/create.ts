import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { toManifest } from './manifest.ts'
import { packHull, PACKAGES } from './pack.ts'
import { PARTS, removePart } from './remove.ts'

export interface CreateOptions {
  /** The folder of Hull's repository. */
  project: string
  /** Where the application goes: new, or empty. Absolute. */
  folder: string
  inbox: boolean
  lab: boolean
}

/** The repository's own application, which is the template, and what {@link PARTS} edits or deletes. */
const APPLICATION = [
  'client',
  'plugins',
  'routes',
  'config.ts',
  'server.ts',
  'vite.config.ts',
  'Dockerfile',
  '.dockerignore',
  '.env.example',
  '.npmrc',
  'tsconfig.json'
]

/** The shell has these too; an application writes its own when it wants others. */
const DEFAULTS = ['client/fallbacks', 'client/components/fallback.tsx']

/** Folder of the packed packages, which npm installs from. */
const VENDOR = 'vendor'

/**
 * Writes a new application: a copy of the repository's own, without the parts that were not asked for, on packed packages.
 * @throws Error when the packages do not compile, or a line to edit is not there
 */
export function createApplication({ project, folder, inbox, lab }: CreateOptions): void {
  mkdirSync(folder, { recursive: true })
  for (const path of APPLICATION) cpSync(join(project, path), join(folder, path), { recursive: true })
  cpSync(join(import.meta.dirname, '../template'), folder, { recursive: true })
  if (!lab) removePart(folder, PARTS.lab)
  if (!inbox) removePart(folder, PARTS.inbox)
  for (const path of DEFAULTS) rmSync(join(folder, path), { recursive: true, force: true })
  if (!lab) rmSync(join(folder, 'client/components/crumbs.tsx'), { force: true })
  if (globSync('routes/**/*.ts', { cwd: folder }).length === 0) rmSync(join(folder, 'routes'), { recursive: true })

  const packages = PACKAGES.filter((name) => inbox || name !== 'inbox')
  mkdirSync(join(folder, VENDOR))
  const packed = packHull(project)
  const hull = packages.map((name): [string, string] => {
    const file = `${VENDOR}/${basename(packed[name])}`
    cpSync(packed[name], join(folder, file))
    return [`@hull/${name}`, `file:${file}`]
  })
  const manifest = toManifest(readJson(join(project, 'package.json')), { folder, hull: Object.fromEntries(hull) })
  write(folder, 'package.json', JSON.stringify(manifest, null, 2))
  write(folder, '.gitignore', 'node_modules\ndist/\ndata/\n.hull/\n.env\n*.log')
  edit(folder, 'Dockerfile', toDockerfile)
  edit(folder, '.dockerignore', toDockerignore)
  edit(folder, 'tsconfig.json', toTsconfig)
  edit(folder, '.env.example', (text) => toFirstSettings(text, inbox))
}

/** The packages are files in `vendor/` instead of workspaces, and there are no scripts. */
function toDockerfile(text: string, folder: string): string {
  const hasRoutes = existsSync(join(folder, 'routes'))
  return text
    .replaceAll(/(package-lock\.json \.npmrc \.\/\n)COPY packages packages\n/g, `$1COPY ${VENDOR} ${VENDOR}\n`)
    .replace(/^COPY packages packages\n/m, '')
    .replace(/^COPY scripts.*\n/m, '')
    .replace(/^COPY routes routes\n/m, hasRoutes ? '$&' : '')
    .replace(/^# docs\/decisions\/.*\n/m, '')
}

const toDockerignore = (text: string): string =>
  text.replace('!packages\npackages/*/test\n', `!${VENDOR}\n`).replace('!scripts\n', '')

/** Settings that a deployment begins with; config.ts has all. */
const FIRST_SETTINGS = [
  'HOST',
  'PORT',
  'BASE_URL',
  'TRUST_PROXY',
  'DATA_DIR',
  'SESSION_SECRET',
  'SENTRY_DSN',
  'INBOX_PASSWORD'
]

/** In `.env.example` a setting is a block of lines: its meaning, and its name. */
function toFirstSettings(text: string, inbox: boolean): string {
  const names = FIRST_SETTINGS.filter((name) => inbox || !name.startsWith('INBOX'))
  const blocks = text.split('\n\n').filter((block) => names.some((name) => block.includes(`\n# ${name}=`)))
  return (
    ['# Copy to .env and uncomment what you change. SETTINGS in config.ts has all there are.', ...blocks]
      .join('\n\n')
      .trimEnd() + '\n'
  )
}

const toTsconfig = (text: string): string =>
  text
    .replace(/"include": .*/, '"include": ["*.ts", "client", "plugins", "routes", "test", ".hull/types/*.ts"],')
    .replace(/"exclude": .*/, '"exclude": ["node_modules"]')

function edit(folder: string, file: string, change: (text: string, folder: string) => string): void {
  const path = join(folder, file)
  writeFileSync(path, change(readFileSync(path, 'utf8'), folder))
}

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

const write = (folder: string, file: string, text: string): void => writeFileSync(join(folder, file), `${text}\n`)
