import { globSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { normalizePath } from 'vite'
import { defaultLayout, layoutIn, layoutName } from '../../routing/layout-names.ts'
import { toFileRoute } from '../../routing/route-path.ts'
import { AddressTaken, createRouteTree } from '../../routing/route-tree.ts'
import { PageRouteTwice } from '../../errors.ts'
import { findFile } from './client-files.ts'
import { checkContext, checkContract } from './contract.ts'
import { hasExport, parseModule, type ModuleExport } from './module-exports.ts'
import { toId, type PageRoot } from './roots.ts'

/** A page or layout file. */
export interface ListedFile {
  /** Path as if the file were in the application's client folder, with forward slashes: `/pages/about.tsx`. */
  id: string
  /** Absolute path with forward slashes. */
  path: string
  /** Path from the project's folder, for messages: `client/pages/about.tsx`. */
  file: string
  root: PageRoot
}

/** A page or layout file with its exports. */
export interface SiteFile extends ListedFile {
  exports: ModuleExport[]
  /** True if the file calls `useNonce()`. */
  usesNonce: boolean
}

export interface SiteFiles {
  pages: SiteFile[]
  layouts: SiteFile[]
  /** True if `client/context.ts` exists. */
  hasContext: boolean
}

/** Lists all pages or layouts of the roots. Two files with the same id are both listed. */
export const listFiles = (roots: readonly PageRoot[], kind: 'pages' | 'layouts'): ListedFile[] =>
  roots.flatMap((root) =>
    globSync('**/*.{tsx,jsx}', { cwd: join(root.folder, kind) })
      .map((name) => name.replaceAll(sep, '/'))
      .sort()
      .map((name) => ({
        id: toId(root, kind, name),
        path: `${root.folder}/${kind}/${name}`,
        file: `${root.name}/${kind}/${name}`,
        root
      }))
  )

/**
 * Reads all pages and layouts of the roots, the application's client folder first, and checks them against the
 * contract.
 * @throws Error with one line per problem, each with the file's name: a misspelt export, two files with one address, an
 * unknown layout, flags that exclude each other
 */
export function readSiteFiles(roots: readonly PageRoot[]): SiteFiles {
  const problems: string[] = []
  const read = (kind: 'page' | 'layout') =>
    listFiles(roots, `${kind}s`).map((listed): SiteFile => {
      try {
        refuseLink(listed)
        const code = readFileSync(listed.path, 'utf8')
        const { exports } = parseModule(listed.file, code)
        problems.push(...checkContract(listed.file, kind, exports))
        return { ...listed, exports, usesNonce: /\buseNonce\(/.test(code) }
      } catch (error) {
        problems.push((error as Error).message)
        return { ...listed, exports: [], usesNonce: false }
      }
    })
  const client = roots[0]!.folder
  const contextFile = findFile(client, 'context', ['ts', 'js'])
  problems.push(...checkLinks(roots, 'pages'), ...checkLinks(roots, 'layouts'))
  const site: SiteFiles = { pages: read('page'), layouts: read('layout'), hasContext: contextFile !== undefined }
  if (contextFile) problems.push(...readContext(client, contextFile))
  problems.push(...checkTwice(site.pages), ...checkTwice(site.layouts))
  if (problems.length === 0) problems.push(...checkRoutes(site.pages))
  problems.push(...checkLayouts(site))
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return site
}

/**
 * Vite resolves symbolic links, and the build recognizes a page by its path: it would leave the server's half of a linked
 * page in the browser's code.
 */
function refuseLink({ path, file }: ListedFile): void {
  if (normalizePath(realpathSync(path)) !== path) throw new Error(describeLink(file))
}

/** Finds linked folders, whose files are not listed. */
const checkLinks = (roots: readonly PageRoot[], kind: 'pages' | 'layouts'): string[] =>
  roots.flatMap((root) =>
    globSync('**', { cwd: join(root.folder, kind), withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory())
      .map((path) => describeLink(`${root.name}/${normalizePath(relative(root.folder, path))}`))
  )

const describeLink = (file: string): string =>
  `${file}: a symbolic link leads to it; move it here, or list its folder in \`roots\` of hull()`

/**
 * Finds files with the same id, such as `packages/inbox/src/web/pages/index.tsx` and `pages/index.tsx` of a root with
 * the prefix `/inbox`.
 */
const checkTwice = (files: SiteFile[]): string[] =>
  files.flatMap(({ id, file }, at) => {
    const first = files.findIndex((other) => other.id === id)
    return first < at ? [describeTwice(files[first]!.file, file)] : []
  })

function describeTwice(first: string, second: string): string {
  const { code, message } = new PageRouteTwice(first, second)
  return `${code}: ${message}`
}

function readContext(root: string, name: string): string[] {
  const file = `client/${name}`
  try {
    return checkContext(file, parseModule(file, readFileSync(join(root, name), 'utf8')).exports)
  } catch (error) {
    return [(error as Error).message]
  }
}

function checkRoutes(pages: SiteFile[]): string[] {
  try {
    const fileRoutes = fileRoutesOf(pages)
    const files = new Map(pages.map(({ id, file }) => [id, file]))
    createRouteTree(
      pages.map(({ id }) => id),
      (id) => fileRoutes.get(id),
      (id) => files.get(id)!
    )
    return []
  } catch (error) {
    return [error instanceof AddressTaken ? describeTwice(...error.files) : (error as Error).message]
  }
}

/** Returns the addresses of the pages that export a `path`, in the notation of file names. */
export function fileRoutesOf(pages: SiteFile[]): Map<string, string> {
  const fileRoutes = new Map<string, string>()
  for (const { id, exports, file, root } of pages) {
    const path = exports.find(({ name }) => name === 'path')?.literal
    if (typeof path === 'string') fileRoutes.set(id, toFileRoute(id, path, { prefix: root.prefix, file })!)
  }
  return fileRoutes
}

/** Returns the names of the layouts around a page, outermost first. The site must have passed its checks. */
export const layoutsOf = (page: SiteFile, { layouts }: SiteFiles): string[] =>
  [...layoutsAround(page, toByName(layouts))].toReversed()

const toByName = (layouts: SiteFile[]): ReadonlyMap<string, SiteFile> =>
  new Map(layouts.map((layout) => [layoutName(layout.id), layout]))

/** Yields the names of the layouts around a file, innermost first, up to one that does not exist. */
function* layoutsAround(file: SiteFile, byName: ReadonlyMap<string, SiteFile>): Generator<string> {
  for (let around: SiteFile | undefined = file; around;) {
    const name = layoutAround(around, byName)
    if (name === undefined || name === null) return
    // Of another type if the export is refused.
    yield name as string
    around = byName.get(name as string)
  }
}

const parentOf = ({ exports }: SiteFile) => exports.find(({ name }) => name === 'layout')?.literal

/** Returns the name of the innermost layout around a file. */
function layoutAround(file: SiteFile, byName: ReadonlyMap<string, SiteFile>): ModuleExport['literal'] {
  const named = parentOf(file)
  if (typeof named === 'string') return layoutIn(file.root.prefix, named)
  if (named !== undefined || !file.id.startsWith('/pages/')) return named
  return defaultLayout(file.root.prefix, (name) => byName.has(name))
}

function checkLayouts({ pages, layouts }: SiteFiles): string[] {
  const byName = toByName(layouts)
  return [...pages, ...layouts].flatMap((file) => {
    const problems: string[] = []
    const seen = new Set<string>()
    const isPage = file.id.startsWith('/pages/')
    const exclusive = isPage
      ? file.exports.find(({ name: flag, literal }) => (flag === 'cache' || flag === 'staticData') && literal !== false)
      : undefined
    for (const name of layoutsAround(file, byName)) {
      const layout = byName.get(name)
      if (!layout)
        return [
          ...problems,
          `${file.file}: there is no layout "${String(parentOf(file))}" in ${file.root.name}/layouts`
        ]
      if (seen.has(name)) return [...problems, `${file.file}: the layout "${name}" includes itself`]
      seen.add(name)
      if (exclusive && hasExport(layout.exports, 'guard')) {
        problems.push(`${file.file}: "${exclusive.name}" and the guard of ${layout.file} exclude each other`)
      }
    }
    return problems
  })
}
