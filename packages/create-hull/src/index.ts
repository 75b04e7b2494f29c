#!/usr/bin/env node
import { join, relative } from 'node:path'
import { CreateError, readArguments, USAGE } from './arguments.ts'
import { createApplication } from './create.ts'

/* npm run create -- <folder> */

const PROJECT = join(import.meta.dirname, '../../..')

try {
  const { help, ...options } = readArguments(process.argv.slice(2))
  if (help) say(USAGE)
  else {
    createApplication({ project: PROJECT, ...options })
    say(
      `An application is in ${options.folder}. Next:\n\n  cd ${relative('', options.folder) || '.'}\n  npm install\n  npm start`
    )
  }
} catch (error) {
  if (!(error instanceof CreateError)) throw error
  process.stderr.write(`create-hull: ${error.message}\n`)
  process.exitCode = 1
}

function say(text: string) {
  process.stdout.write(`${text}\n`)
}
