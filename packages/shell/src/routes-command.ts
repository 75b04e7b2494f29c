#!/usr/bin/env node
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { ListedRoute } from './plugins/pages/list-routes.ts'

/*
 * The command `hull-routes`: prints all pages and routes of the application in the current folder. It builds the server
 * without listening, from the last build if there is one, and keeps the data of the application as it is.
 */

interface Application {
  buildServer: (config: object, options: { dev: boolean; print: () => void }) => Promise<FastifyInstance>
}

/** A route with more methods accepts any. */
const MANY_METHODS = 6

const HEADINGS = ['Methods', 'Pattern', 'File', 'Guards', 'Layouts', 'Cache', 'Flags', 'First JS', 'Own chunk']

const root = process.cwd()
// Vite's own lines, which are not part of the list.
console.log = console.info = console.error
const dataDir = mkdtempSync(join(tmpdir(), 'hull-routes-'))
try {
  const routes = await loadRoutes()
  const text = process.argv.includes('--json') ? JSON.stringify(routes, null, 2) : toTable(routes)
  process.stdout.write(`${text}\n`)
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

async function loadRoutes(): Promise<ListedRoute[]> {
  const load = (file: string): Promise<unknown> => import(pathToFileURL(join(root, file)).href)
  const { loadConfig } = (await load('config.ts')) as { loadConfig: () => object }
  const { buildServer } = (await load('server.ts')) as Application
  // A running server holds locks in its own folder.
  const config = { ...loadConfig(), dataDir, logLevel: 'fatal' }
  const dev = !existsSync(join(root, 'dist/client/.vite/manifest.json'))
  const app = await buildServer(config, { dev, print() {} })
  await app.ready()
  try {
    return app.pages.listRoutes()
  } finally {
    await app.close()
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
