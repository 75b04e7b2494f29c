#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { CreateError, IN_REPOSITORY, PUBLISHED, readArguments, toHelp } from './arguments.ts'
import { createApplication } from './create.ts'

/*
 * `npm run create -- <folder>` in the repository, which packs the packages; `npm create hull <folder>` once published
 */

const REPOSITORY = join(import.meta.dirname, '../../..')
const APPLICATION = join(import.meta.dirname, '../application')
const isPublished = existsSync(APPLICATION)

try {
  const invocation = isPublished ? PUBLISHED : IN_REPOSITORY
  // In the repository, the script has checked them.
  // oxlint-disable-next-line node/no-process-env -- npm passes its options there
  const env = isPublished ? process.env : {}
  const { help, ...options } = readArguments(process.argv.slice(2), invocation, env)
  if (help) say(toHelp(invocation))
  else {
    if (isPublished) createApplication({ project: APPLICATION, ...options })
    else {
      const { packHull } = await import('./pack.ts')
      createApplication({ project: REPOSITORY, packed: packHull(REPOSITORY), ...options })
    }
    const folder = relative('', options.folder) || '.'
    const path = /\s/.test(folder) ? `"${folder}"` : folder
    say(`An application is in ${options.folder}. Next:\n\n  cd ${path}\n  npm install\n  npm run dev`)
  }
} catch (error) {
  if (!(error instanceof CreateError)) throw error
  process.stderr.write(`create-hull: ${error.message}\n`)
  process.exitCode = 1
}

function say(text: string) {
  process.stdout.write(`${text}\n`)
}
