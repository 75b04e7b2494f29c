import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { ENGINES } from './manifest.ts'
import { PACKAGES, type PackageName } from './packages.ts'
import { CREATE_HULL, stageCreateHull } from './stage-create-hull.ts'

/** Paths of the `.tgz` files, by package. */
export type Packed = Record<PackageName | typeof CREATE_HULL, string>

interface Manifest {
  name: string
  version: string
  exports?: Record<string, string>
  bin?: Record<string, string>
  private?: boolean
  [key: string]: unknown
}

/**
 * Packs Hull's packages and `create-hull` as npm would publish them: JavaScript, types and styles, without source maps.
 * Empties the folder `.hull/packages` of the project first, and writes the files there.
 * @param project the folder of Hull's repository
 * @throws Error with the output of the compiler or npm
 */
export function packHull(project: string): Packed {
  const folder = join(project, '.hull/packages')
  rmSync(folder, { recursive: true, force: true })
  const stage = join(folder, 'stage')
  compile(project, stage)
  const staged = PACKAGES.map((name): [string, string] => [name, stagePackage(project, stage, name)])
  staged.push([CREATE_HULL, stageCreateHull(project, stage)])
  for (const [name, from] of staged) publishable(join(project, 'packages', name), from, project)
  const files = pack(
    staged.map(([, from]) => from),
    folder
  )
  rmSync(stage, { recursive: true })
  return Object.fromEntries(staged.map(([name], at) => [name, join(folder, files[at]!)])) as Packed
}

/** Runs the compiler once for all packages. */
function compile(project: string, stage: string): void {
  mkdirSync(stage, { recursive: true })
  const config = join(stage, 'tsconfig.json')
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    // Keeps JSX for Vite, as in the repository; only files with this extension are pages.
    jsx: 'preserve',
    rootDir: project,
    outDir: stage,
    allowJs: false,
    checkJs: false
  }
  // The inbox's pages read the application's settings, whose types are in config.ts.
  const names = [...PACKAGES, CREATE_HULL]
  const include = [...names.map((name) => join(project, 'packages', name, 'src')), join(project, 'config.ts')]
  writeFileSync(
    config,
    JSON.stringify({ extends: join(project, 'tsconfig.json'), compilerOptions, include, exclude: [] })
  )
  const tsc = join(project, 'node_modules/typescript/bin/tsc')
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '--checkers', '1', '-p', config], {
    cwd: project,
    encoding: 'utf8'
  })
  const problems = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !line.includes(KEPT_ENDING))
  if (problems.length > 0) throw new Error(`The packages do not compile:\n${problems.join('\n')}`)
}

/** `@hull/common/errors.ts` keeps its extension: the published package has an export of this name. */
const KEPT_ENDING = 'error TS2877:'

/** @returns the folder to run `npm pack` in */
function stagePackage(project: string, stage: string, name: PackageName): string {
  const source = join(project, 'packages', name)
  const compiled = join(stage, 'packages', name, 'src')
  const folder = join(stage, name)
  for (const file of globSync('**/*.{js,jsx,d.ts}', { cwd: compiled })) {
    const text = readFileSync(join(compiled, file), 'utf8')
    const places = { from: dirname(join(compiled, file)), to: dirname(join(source, 'src', file)) }
    write(join(folder, 'dist', file), file.endsWith('.d.ts') ? moveReferences(text, places) : renameModules(text))
  }
  for (const file of globSync('**/*.{css,d.ts}', { cwd: join(source, 'src') }))
    write(join(folder, 'dist', file), readFileSync(join(source, 'src', file), 'utf8'))
  if (name === 'inbox') addInboxPages(project, join(folder, 'dist/pages'))
  return folder
}

/** Adds the files that npm shows of a package: manifest, licence and README. */
function publishable(source: string, folder: string, project: string): void {
  copyFileSync(join(project, 'LICENSE'), join(folder, 'LICENSE'))
  copyFileSync(join(source, 'README.md'), join(folder, 'README.md'))
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest
  writeFileSync(join(folder, 'package.json'), JSON.stringify(toPublished(manifest), null, 2) + '\n')
}

/** `hull-inbox` serves built pages, since nothing is compiled after an installation. */
function addInboxPages(project: string, folder: string): void {
  run(process.execPath, ['scripts/run.js', 'inbox:build'], project)
  const built = join(project, 'packages/inbox/dist/pages')
  const filter = (path: string) => !path.endsWith('.map') && path !== join(built, 'maps')
  cpSync(built, folder, { recursive: true, filter })
}

/** The compiler rewrites import specifiers; paths of threads and entries are strings. */
const renameModules = (code: string) => code.replaceAll(/(new URL\('[^']+)\.ts(', import\.meta\.url\))/g, '$1.js$2')

/**
 * The compiler writes the path from a declaration in `from` to the source of each kept reference. In the package, the
 * source is copied, and is beside the declaration as in `to`.
 */
const moveReferences = (declaration: string, { from, to }: { from: string; to: string }) =>
  declaration.replaceAll(
    /^(\/\/\/ <reference path=")([^"]+)/gm,
    (_, start: string, path: string) => `${start}./${relative(to, resolve(from, path)).replaceAll('\\', '/')}`
  )

/** A package's published manifest: with `dist` for `src`, and public access, which npm requires for a scope. */
function toPublished({ private: _private, bin = {}, exports, ...manifest }: Manifest) {
  return {
    ...manifest,
    engines: ENGINES,
    publishConfig: { access: 'public' },
    ...(exports && { exports: Object.fromEntries(Object.entries(exports).flatMap(toPublishedExports)) }),
    bin: Object.fromEntries(Object.entries(bin).map(([name, target]) => [name, toBuilt(target)]))
  }
}

/** `./src/a.ts` becomes `dist/a.js`. */
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

/** @returns names of the files that npm wrote, in the order of the folders */
function pack(folders: string[], to: string): string[] {
  const output = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', to, ...folders], to)
  // An array; an object by name since npm 12.
  const written = Object.values(JSON.parse(output) as Record<string, { name: string; filename: string }>)
  const names = folders.map(
    (folder) => (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest).name
  )
  return names.map((name) => written.find((file) => file.name === name)!.filename)
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
