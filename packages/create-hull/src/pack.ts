import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The packages that an application stands on, each after those that it needs. */
export const PACKAGES = ['common', 'shell', 'monitoring', 'inbox'] as const
export type PackageName = (typeof PACKAGES)[number]

interface Manifest {
  name: string
  version: string
  exports: Record<string, string>
  bin?: Record<string, string>
  private?: boolean
  [key: string]: unknown
}

/**
 * Packs Hull's packages as npm would publish them: JavaScript, types and styles, without source maps.
 * @param project the folder of Hull's repository
 * @param folder where the stage and the packages go. @default `.hull/packages` in the project
 * @returns path of each package's `.tgz`
 * @throws Error with the compiler's or npm's own words
 */
export function packHull(project: string, folder = join(project, '.hull/packages')): Record<PackageName, string> {
  rmSync(folder, { recursive: true, force: true })
  const stage = join(folder, 'stage')
  compile(project, stage)
  const staged = PACKAGES.map((name) => [name, stagePackage(project, stage, name)] as const)
  const files = staged.map(([name, from]) => [name, join(folder, pack(from, folder))] as const)
  rmSync(stage, { recursive: true })
  return Object.fromEntries(files) as Record<PackageName, string>
}

/** Runs the compiler once, over all packages. */
function compile(project: string, stage: string): void {
  mkdirSync(stage, { recursive: true })
  const config = join(stage, 'tsconfig.json')
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    // Vite compiles JSX, as it does in the repository; only files with this ending are pages.
    jsx: 'preserve',
    rootDir: project,
    outDir: stage,
    allowJs: false,
    checkJs: false
  }
  // The inbox's pages read settings of the application, whose types config.ts declares.
  const include = [...PACKAGES.map((name) => join(project, 'packages', name, 'src')), join(project, 'config.ts')]
  writeFileSync(
    config,
    JSON.stringify({ extends: join(project, 'tsconfig.json'), compilerOptions, include, exclude: [] })
  )
  const tsc = join(project, 'node_modules/typescript/bin/tsc')
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', config], { cwd: project, encoding: 'utf8' })
  const problems = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !line.includes(KEPT_ENDING))
  if (problems.length > 0) throw new Error(`The packages do not compile:\n${problems.join('\n')}`)
}

/** `@hull/common/errors.ts` keeps its ending: the published package has an export of this name. */
const KEPT_ENDING = 'error TS2877:'

/** @returns the folder that `npm pack` is run in */
function stagePackage(project: string, stage: string, name: PackageName): string {
  const source = join(project, 'packages', name)
  const compiled = join(stage, 'packages', name, 'src')
  const folder = join(stage, name)
  for (const file of globSync('**/*.{js,jsx,d.ts}', { cwd: compiled })) {
    const text = readFileSync(join(compiled, file), 'utf8')
    write(join(folder, 'dist', file), file.endsWith('.d.ts') ? text : renameModules(text))
  }
  for (const file of globSync('**/*.{css,d.ts}', { cwd: join(source, 'src') }))
    write(join(folder, 'dist', file), readFileSync(join(source, 'src', file), 'utf8'))
  if (name === 'inbox') addInboxPages(project, join(folder, 'dist/pages'))
  copyFileSync(join(project, 'LICENSE'), join(folder, 'LICENSE'))
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest
  writeFileSync(join(folder, 'package.json'), JSON.stringify(toPublished(manifest), null, 2) + '\n')
  return folder
}

/** `hull-inbox` serves built pages: nothing is compiled where it is installed. */
function addInboxPages(project: string, folder: string): void {
  run(process.execPath, ['scripts/run.js', 'inbox:build'], project)
  const built = join(project, 'packages/inbox/dist/pages')
  const filter = (path: string) => !path.endsWith('.map') && path !== join(built, 'maps')
  cpSync(built, folder, { recursive: true, filter })
}

/** The compiler renames what is imported; threads and entries are named by an address. */
const renameModules = (code: string) => code.replaceAll(/(new URL\('[^']+)\.ts(', import\.meta\.url\))/g, '$1.js$2')

/** A package's manifest as it is published: with `dist` for `src`. */
function toPublished({ private: _private, exports, bin = {}, ...manifest }: Manifest) {
  return {
    ...manifest,
    bin: Object.fromEntries(Object.entries(bin).map(([name, target]) => [name, toBuilt(target)])),
    exports: Object.fromEntries(Object.entries(exports).flatMap(toPublishedExports))
  }
}

/** `./src/a.ts` is `dist/a.js` in the published package. */
const toBuilt = (path: string): string => path.replace('./src/', 'dist/').replace(/\.ts$/, '.js')

function toPublishedExports([name, target]: [string, string]): Array<[string, unknown]> {
  const built = target.replace('./src/', './dist/')
  if (name.startsWith('./web/') || name.endsWith('.css')) return [[name, built]]
  const toEntry = (from: string, ending: string) => ({ types: `${from}.d.ts`, default: `${from}${ending}` })
  if (!name.endsWith('*')) return [[name, toEntry(built.replace(/\.ts$/, ''), '.js')]]
  return [
    [`${name}.ts`, toEntry(built, '.js')],
    [`${name}.tsx`, toEntry(built, '.jsx')]
  ]
}

/** @returns the name of the file that npm wrote */
function pack(folder: string, to: string): string {
  const output = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', to], folder)
  const written: unknown = JSON.parse(output)
  // An array; by name since npm 12.
  const [{ filename }] = Object.values(written as object) as [{ filename: string }]
  return filename
}

function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (error) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`.trimEnd())
  return stdout
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
