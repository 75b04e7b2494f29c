#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { ListedRoute } from '../plugins/pages/list-routes.ts'
import { withApplication } from './load-application.ts'
import { refuseTaken } from './npm-options.ts'

/*
 * The command `hull-routes`: prints all pages and routes of the application in the current folder. It builds the server
 * without listening, from the last build if there is one, and keeps the data of the application as it is.
 */

/** A route with more methods accepts any. */
const MANY_METHODS = 6

const toList = (names: string[]) => names.join(', ') || '-'

/** Cell of a route, by the heading of the column. */
const COLUMNS: Record<string, (route: ListedRoute) => string> = {
  Methods: ({ methods }) => (methods.length > MANY_METHODS ? 'any' : methods.join(', ')),
  Pattern: ({ pattern }) => pattern,
  File: ({ file }) => file,
  Guards: ({ guards }) => toList(guards),
  Layouts: ({ layouts }) => toList(layouts),
  Cache: ({ cache }) => cache ?? '-',
  Flags: ({ flags }) => toList(flags),
  'First JS': ({ firstScript }) => toSize(firstScript),
  'Own chunk': ({ ownChunk }) => toSize(ownChunk)
}

const USAGE = 'hull-routes [--json]: prints a table, or JSON'

const { json, help } = readOptions()
if (help) {
  process.stdout.write(`${USAGE}\n`)
  process.exit()
}
const root = process.cwd()
const dev = !existsSync(join(root, 'dist/client/.vite/manifest.json'))
const routes = await withApplication({ root, dev }, (app) => app.pages.listRoutes())
const text = json ? JSON.stringify(routes, null, 2) : toTable(routes)
process.stdout.write(`${text}\n`)

/** A wrong option ends the process with a sentence. */
function readOptions() {
  try {
    refuseTaken('routes', ['json'])
    return parseArgs({ options: { json: { type: 'boolean' }, help: { type: 'boolean' } } }).values
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}\n`)
    process.exit(1)
  }
}

/** Table with the routes of the application, then an empty line and those of packages, which are more. */
function toTable(routes: ListedRoute[]): string {
  const { own = [], packaged = [] } = Object.groupBy(routes, ({ file }) => (isOwn(file) ? 'own' : 'packaged'))
  const toRows = (list: ListedRoute[]) => list.map((route) => Object.values(COLUMNS).map((toCell) => toCell(route)))
  const headings = Object.keys(COLUMNS)
  const rows = [headings, ...toRows(own), [], ...toRows(packaged)]
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}

/** Whether a file is one of the application. `packages/` is Hull in its clone. */
function isOwn(file: string): boolean {
  return /\.[jt]sx?$/.test(file) && !/^(node_modules|packages)\//.test(file)
}

/** Kilobytes with one digit. */
function toSize(bytes?: number): string {
  return bytes === undefined ? '-' : `${(bytes / 1_000).toFixed(1)} kB`
}
