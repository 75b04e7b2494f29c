#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { CreateError, readArguments, USAGE } from './arguments.ts'
import { createApplication } from './create.ts'

/*
 * `npm run create -- <folder>` in the repository, which packs the packages; `npm create hull <folder>` once published
 */

const REPOSITORY = join(import.meta.dirname, '../../..')
const PUBLISHED = join(import.meta.dirname, '../application')

try {
  const { help, ...options } = readArguments(process.argv.slice(2))
  if (help) say(USAGE)
  else {
    if (existsSync(PUBLISHED)) createApplication({ project: PUBLISHED, ...options })
    else {
      const { packHull } = await import('./pack.ts')
      createApplication({ project: REPOSITORY, packed: packHull(REPOSITORY), ...options })
    }
    const folder = relative('', options.folder) || '.'
    const path = /\s/.test(folder) ? `"${folder}"` : folder
    say(`An application is in ${options.folder}. Next:\n\n  cd ${path}\n  npm install\n  npm start`)
  }
} catch (error) {
  if (!(error instanceof CreateError)) throw error
  process.stderr.write(`create-hull: ${error.message}\n`)
  process.exitCode = 1
}

function say(text: string) {
  process.stdout.write(`${text}\n`)
}
