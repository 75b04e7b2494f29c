#!/usr/bin/env node
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { exportPages, type ExportProblem } from './export/export-pages.ts'
import { openExport } from './export/folder.ts'
import { withApplication } from './load-application.ts'
import { refuseTaken } from './npm-options.ts'

/*
 * The command `hull-export`: writes the pages of the application in the current folder, as built, to files for any
 * static host. It ends with 1, and writes nothing, if a page cannot be exported and is not excluded.
 * docs/export.md
 */

const USAGE =
  'hull-export [folder] [--exclude=/path] [--include=/path] [--set=NAME=VALUE]: the folder is `out` by default, and each option may be repeated'

/** Trusts the command's own X-Forwarded-Proto, and sheds no load. */
const CONFIG = { trustProxy: ['loopback'], maxEventLoopDelay: 0 }

const root = process.cwd()
try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${describe(error.cause)}`
}

async function run(): Promise<number> {
  const { folder, exclude, include, settings, help } = readArgs()
  if (help) {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  // They have precedence over the settings in `.env`.
  // oxlint-disable-next-line node/no-process-env -- the application's config.ts reads them there
  for (const [name, value] of settings) process.env[name] = value
  return withApplication({ root, config: CONFIG }, async (app) => {
    const output = openExport(resolve(root, folder), join(root, 'dist'))
    process.once('exit', safeCallback(output.discard))
    const problems: ExportProblem[] = []
    let files = 0
    const { baseUrl } = app.hull.config as { baseUrl?: string }
    for await (const { file, problem } of exportPages(app, { baseUrl, exclude, include })) {
      if (file && ++files) output.write(file)
      else if (problem) problems.push(problem)
    }
    if (problems.length > 0) return complain(problems)
    output.finish()
    process.stdout.write(`wrote ${files} files to ${folder}, beside those of the build\n`)
    return 0
  })
}

/** @throws Error that says which options there are */
function readArgs() {
  refuseTaken('export', ['exclude=…', 'set=…'])
  const list = { type: 'string', multiple: true, default: [] as string[] } as const
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { exclude: list, include: list, set: list, help: { type: 'boolean', default: false } }
    })
    const [folder = 'out', ...more] = positionals
    if (more.length > 0) throw new Error(`Name one folder, not ${positionals.length}`)
    for (const path of [...values.exclude, ...values.include])
      if (!path.startsWith('/')) throw new Error(`${path} is no path: it begins with a slash`)
    const settings = values.set.map((text) => {
      const at = text.indexOf('=')
      if (at < 1) throw new Error(`--set=${text} has no value: write --set=NAME=VALUE`)
      return [text.slice(0, at), text.slice(at + 1)] as const
    })
    return { folder, exclude: values.exclude, include: values.include, settings, help: values.help }
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`)
  }
}

function complain(problems: readonly ExportProblem[]): number {
  const lines = problems.map(({ address, file, reason }) => `  ${address}${file ? ` (${file})` : ''}: ${reason}`)
  process.stderr.write(
    `These addresses cannot be exported:\n${lines.join('\n')}\nNothing was written. Change them, or leave them out with --exclude=/path.\n`
  )
  return 1
}
