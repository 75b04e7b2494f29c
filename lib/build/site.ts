import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { toSpelling } from '../common/route-path.ts'
import { createRouteTree } from '../common/route-tree.ts'
import { checkContext, checkContract } from './contract.ts'
import { parseModule, type ModuleExport } from './module-exports.ts'

/** A page or layout file as the build sees it. */
export interface SiteFile {
  /** From the client root, with slashes: `/pages/about.tsx`. */
  id: string
  exports: ModuleExport[]
}

export interface Site {
  pages: SiteFile[]
  layouts: SiteFile[]
  /** There is a `client/context.ts`. */
  hasContext: boolean
}

/**
 * Reads every page and layout below the client root and holds them against the contract.
 * @throws Error with one line a problem, each beginning with the file's name: a misspelt export, two files for one
 * address, an unknown layout, flags that exclude each other
 */
export function readSite(root: string): Site {
  const problems: string[] = []
  const read = (kind: 'page' | 'layout') =>
    globSync(`${kind}s/**/*.{tsx,jsx}`, { cwd: root })
      .sort()
      .map((path): SiteFile => {
        const id = '/' + path.replaceAll(sep, '/')
        try {
          const { exports } = parseModule(`client${id}`, readFileSync(join(root, path), 'utf8'))
          problems.push(...checkContract(`client${id}`, kind, exports))
          return { id, exports }
        } catch (error) {
          problems.push((error as Error).message)
          return { id, exports: [] }
        }
      })
  const contextFile = CONTEXT_FILES.find((file) => existsSync(join(root, file)))
  const site: Site = { pages: read('page'), layouts: read('layout'), hasContext: contextFile !== undefined }
  if (contextFile) problems.push(...readContext(root, contextFile))
  problems.push(...checkRoutes(site.pages), ...checkLayouts(site))
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return site
}

function readContext(root: string, name: string): string[] {
  const file = `client/${name}`
  try {
    return checkContext(file, parseModule(file, readFileSync(join(root, name), 'utf8')).exports)
  } catch (error) {
    return [(error as Error).message]
  }
}

const CONTEXT_FILES = ['context.ts', 'context.js']

function checkRoutes(pages: SiteFile[]): string[] {
  try {
    const spellings = spellingsOf(pages)
    createRouteTree(
      pages.map(({ id }) => id),
      (id) => spellings.get(id)
    )
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

/** The addresses of the pages that export a `path`, in the words of file names. */
export function spellingsOf(pages: SiteFile[]): Map<string, string> {
  const spellings = new Map<string, string>()
  for (const { id, exports } of pages) {
    const path = exports.find(({ name }) => name === 'path')?.literal
    if (typeof path === 'string') spellings.set(id, toSpelling(id, path)!)
  }
  return spellings
}

/** A layout's name: its path below `layouts/`, without the ending. */
export const layoutName = (id: string): string => id.slice('/layouts/'.length, -'.tsx'.length)

/** Names of the layouts around a page, outermost first, in a site that has passed its checks. */
export function layoutsOf(page: SiteFile, { layouts }: Site): string[] {
  const byName = new Map(layouts.map((layout) => [layoutName(layout.id), layout]))
  const chain: string[] = []
  for (let name = layoutAround(page, byName); typeof name === 'string'; name = parentOf(byName.get(name)!))
    chain.unshift(name)
  return chain
}

const parentOf = ({ exports }: SiteFile) => exports.find(({ name }) => name === 'layout')?.literal

/** The innermost layout around a file: a page that names none stands in `default`, if there is one. */
function layoutAround(file: SiteFile, byName: ReadonlyMap<string, SiteFile>): ModuleExport['literal'] {
  const named = parentOf(file)
  return named === undefined && file.id.startsWith('/pages/') && byName.has('default') ? 'default' : named
}

function checkLayouts({ pages, layouts }: Site): string[] {
  const byName = new Map(layouts.map((layout) => [layoutName(layout.id), layout]))
  return [...pages, ...layouts].flatMap((file) => {
    const problems: string[] = []
    const isPage = file.id.startsWith('/pages/')
    let name = layoutAround(file, byName)
    const exclusive = isPage
      ? file.exports.find(({ name: flag, literal }) => (flag === 'cache' || flag === 'staticData') && literal !== false)
      : undefined
    for (
      const seen = new Set<unknown>();
      name !== undefined && name !== null;
      name = parentOf(byName.get(name as string)!)
    ) {
      const layout = typeof name === 'string' ? byName.get(name) : undefined
      if (!layout) return [...problems, `client${file.id}: there is no layout "${String(name)}" in client/layouts`]
      if (seen.has(name)) return [...problems, `client${file.id}: the layout "${String(name)}" stands inside itself`]
      seen.add(name)
      if (exclusive && layout.exports.some((entry) => entry.name === 'guard')) {
        problems.push(`client${file.id}: "${exclusive.name}" and the guard of client${layout.id} exclude each other`)
      }
    }
    return problems
  })
}
