import { statSync } from 'node:fs'
import { posix, relative, resolve } from 'node:path'
import { normalizePath } from 'vite'
import { PageRootInvalid, PageRootMissing, PageRootTwice } from '../../errors.ts'
import { findExportedFolder } from '../packages/installed-packages.ts'

/** A folder with `pages/` and optionally `layouts/`. */
export interface PageRootOptions {
  /**
   * Path relative to the project's folder, absolute path, or folder that a package exports, such as `@hull/inbox/web`.
   */
  folder: string
  /** Prefix of the addresses of its pages, such as `/inbox`. */
  prefix: string
}

export interface PageRoot {
  /** Absolute path with forward slashes. */
  folder: string
  /** Path from the project's folder, for messages: `client`. */
  name: string
  /** Prefix such as `/inbox`; empty for the application's own pages. */
  prefix: string
  /** Whether the folder is of a package, such as `@hull/inbox/web`. */
  isOfPackage: boolean
}

/**
 * Returns the application's `client/` and the additional roots.
 * @param project the project's folder
 * @throws PageRootMissing, PageRootTwice, PageRootInvalid
 */
export function resolveRoots(project: string, roots: readonly PageRootOptions[] = []): PageRoot[] {
  const resolved = [{ folder: 'client', prefix: '' }, ...roots].map(({ folder, prefix }): PageRoot => {
    const own = resolve(project, folder)
    const isOfPackage = !isFolder(own)
    const path = isOfPackage ? findExportedFolder(folder, project) : own
    const name = normalizePath(relative(project, path ?? own))
    if (path === undefined || !isFolder(path)) throw new PageRootMissing(name)
    return { folder: normalizePath(path).replace(/\/$/, ''), name, prefix, isOfPackage }
  })
  for (const [at, { name, prefix }] of resolved.entries()) {
    if (at > 0 && !PREFIX.test(prefix)) throw new PageRootInvalid(name, prefix)
    const first = resolved.findIndex((root) => root.prefix === prefix)
    if (first < at) throw new PageRootTwice(prefix, resolved[first]!.name, name)
  }
  return resolved
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Only plain path segments: a parameter in a prefix would become a parameter of every page. */
const PREFIX = /^(?:\/[\w.~-]+)+$/

/** Returns the root that contains a file, and the file's path in it; undefined if no root does. */
export function findRoot(roots: readonly PageRoot[], file: string): { root: PageRoot; path: string } | undefined {
  const root = roots.find(({ folder }) => file.startsWith(`${folder}/`))
  return root && { root, path: file.slice(root.folder.length) }
}

/** Returns the id of a page or layout: its path as if it were in the application's client folder. */
export const toId = ({ prefix }: PageRoot, kind: 'pages' | 'layouts', path: string): string =>
  posix.join(`/${kind}`, prefix, path)
