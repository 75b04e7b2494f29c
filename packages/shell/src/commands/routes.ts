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

const HEADINGS = ['Methods', 'Pattern', 'File', 'Guards', 'Layouts', 'Cache', 'Flags', 'First JS', 'Own chunk']

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

function toTable(routes: ListedRoute[]): string {
  const rows = [HEADINGS, ...routes.map(toRow)]
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}

function toRow({
  methods,
  pattern,
  file,
  guards,
  layouts,
  cache,
  flags,
  firstScript,
  ownChunk
}: ListedRoute): string[] {
  const list = (names: string[]) => names.join(', ') || '-'
  return [
    methods.length > MANY_METHODS ? 'any' : methods.join(', '),
    pattern,
    file,
    list(guards),
    list(layouts),
    cache ?? '-',
    list(flags),
    toSize(firstScript),
    toSize(ownChunk)
  ]
}

/** Kilobytes with one digit. */
function toSize(bytes?: number): string {
  return bytes === undefined ? '-' : `${(bytes / 1_000).toFixed(1)} kB`
}
