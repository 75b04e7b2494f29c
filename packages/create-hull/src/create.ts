import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { APPLICATION, NPM_SETTINGS } from './application.ts'
import { toManifest } from './manifest.ts'
import { PACKAGES, type PackageName } from './packages.ts'
import { PARTS, removePart } from './remove.ts'

export interface CreateOptions {
  /** Folder with the application to copy: Hull's repository, or the files published with `create-hull`. */
  project: string
  /** Files of Hull's packages to copy into the application. @default the packages' version, from the registry */
  packed?: Record<PackageName, string>
  /** Folder of the new application, missing or empty. Absolute path. */
  folder: string
  inbox: boolean
  lab: boolean
}

/** The shell has defaults for these; an application adds its own to replace them. */
const DEFAULTS = ['client/fallbacks', 'client/components/fallback.tsx']

/** Folder of the packed packages, from which npm installs. */
const VENDOR = 'vendor'

/** Writes a new application: a copy of the repository's own without the excluded parts. */
export function createApplication({ project, packed, folder, inbox, lab }: CreateOptions): void {
  mkdirSync(folder, { recursive: true })
  for (const path of APPLICATION) cpSync(join(project, path), join(folder, path), { recursive: true })
  cpSync(findNpmSettings(project), join(folder, NPM_SETTINGS))
  cpSync(join(import.meta.dirname, '../template'), folder, { recursive: true })
  if (!lab) removePart(folder, PARTS.lab)
  if (!inbox) removePart(folder, PARTS.inbox)
  for (const path of DEFAULTS) rmSync(join(folder, path), { recursive: true, force: true })
  if (!lab) rmSync(join(folder, 'client/components/crumbs.tsx'), { force: true })

  const root = readJson(join(project, 'package.json'))
  // The other packages depend on `common`, which npm finds by itself in the registry.
  const packages = PACKAGES.filter((name) => (inbox || name !== 'inbox') && (packed || name !== 'common'))
  const hull = packages.map((name) => [`@hull/${name}`, packed ? addPackage(packed[name], folder) : root.version])
  const manifest = toManifest(root, { folder, hull: Object.fromEntries(hull) })
  write(folder, 'package.json', JSON.stringify(manifest, null, 2))
  write(folder, '.gitignore', 'node_modules\ndist/\nout/\ndata/\n.hull/\n.env\n.env.local\n.env.*.local\n*.log')
  const vendor = packed ? VENDOR : undefined
  edit(folder, 'Dockerfile', (text) => toDockerfile(text, vendor))
  edit(folder, '.dockerignore', (text) => toDockerignore(text, vendor))
  edit(folder, 'tsconfig.json', toTsconfig)
  edit(folder, 'config.ts', toConfig)
  if (!packed) edit(folder, 'README.md', toPublishedReadme)
  edit(folder, '.env.example', (text) => toFirstSettings(text, inbox))
}

/** @returns the package's version or file in package.json */
function addPackage(file: string, folder: string): string {
  const path = `${VENDOR}/${basename(file)}`
  cpSync(file, join(folder, path))
  return `file:${path}`
}

function findNpmSettings(project: string): string {
  const published = join(project, NPM_SETTINGS.slice(1))
  return existsSync(published) ? published : join(project, NPM_SETTINGS)
}

/**
 * Packages are files in `vendor/`, or come from the registry, instead of workspaces. The inbox has no image of its own.
 * Optional packages are kept: packages such as sharp have their binaries in them.
 */
const toDockerfile = (text: string, vendor?: string): string =>
  replaceEach(text, [
    [/^# The pages of the inbox that runs alone[^]*?(?=^# The application\. )/m, ''],
    [/(package-lock\.json \.npmrc \.\/\n)COPY packages packages\n/g, vendor ? `$1COPY ${vendor} ${vendor}\n` : '$1'],
    [/^COPY packages packages\n/gm, ''],
    [
      /^# The optional packages of this repository.*$/m,
      '# Optional packages are kept, except Node, which the image has: sharp and others have their binaries in them.'
    ],
    [/ --omit=optional(.*)$/m, '$1 && rm -rf node_modules/node-linux-* node_modules/.bin/node'],
    // The documents are in the repository.
    [/^(# .*): docs\/.*$/gm, '$1.']
  ])

const toDockerignore = (text: string, vendor?: string): string =>
  replaceEach(text, [
    ['!packages\npackages/*/test\npackages/*/dist\n', vendor ? `!${vendor}\n` : ''],
    ['!scripts\n', '']
  ])

/** Settings for a first deployment; config.ts has all of them. */
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

/** A setting in `.env.example` is a block of lines: its meaning, then its name. */
function toFirstSettings(text: string, inbox: boolean): string {
  const names = FIRST_SETTINGS.filter((name) => inbox || !name.startsWith('INBOX'))
  const blocks = text
    .split('\n\n')
    .filter((block) => names.some((name) => block.includes(`\n# ${name}=`)))
    .map((block) =>
      inbox ? block : block.replace('the inbox in this process', 'none: errors and traces are not collected')
    )
  return (
    ['# Copy to .env and uncomment what you change. SETTINGS in config.ts has all there are.', ...blocks]
      .join('\n\n')
      .trimEnd() + '\n'
  )
}

/** Removes the sentence about the repository's documents and their test. */
const toConfig = (text: string): string =>
  replaceEach(text, [
    [
      /\/\*\*\n \* Every setting of the application: [^]*?\*\//,
      '/** Every setting of the application: each package lists its own. */'
    ]
  ])

const toPublishedReadme = (text: string): string =>
  replaceEach(text, [
    ['`node_modules/@hull/`, installed from `vendor/`', '`node_modules/@hull/`'],
    [
      'replace the files in `vendor/`, set their names in `package.json`',
      'set the new version of all `@hull/…` packages in `package.json`'
    ],
    [/ If a name is the same as before, [^]*? the old package\./, '']
  ])

const toTsconfig = (text: string): string =>
  replaceEach(text, [
    [/"include": .*/, '"include": ["*.ts", "client", "plugins", "routes", "test", ".hull/types/*.ts"],'],
    [/"exclude": .*/, '"exclude": ["node_modules"]']
  ])

/**
 * Makes each replacement.
 * @throws Error if the text does not contain a pattern, because the file was changed without this function
 */
function replaceEach(text: string, replacements: [pattern: string | RegExp, replacement: string][]): string {
  return replacements.reduce((before, [pattern, replacement]) => {
    const after = before.replace(pattern, replacement)
    if (after === before) throw new Error(`no text for a new application matches ${String(pattern)}`)
    return after
  }, text)
}

function edit(folder: string, file: string, change: (text: string) => string): void {
  const path = join(folder, file)
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

const write = (folder: string, file: string, text: string): void => writeFileSync(join(folder, file), `${text}\n`)
