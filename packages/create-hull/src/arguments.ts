import { readdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** Error that the caller can fix; its message says how. */
export class CreateError extends Error {
  override name = 'CreateError'
}

/** How a person runs the command. */
export interface Invocation {
  usage: string
  example: string
}

export const IN_REPOSITORY: Invocation = {
  usage: 'npm run create -- <folder> [--no-inbox] [--lab]',
  example: 'npm run create -- ../my-app'
}

export const PUBLISHED: Invocation = {
  usage: 'npm create hull <folder> -- [--no-inbox] [--lab]',
  example: 'npm create hull my-app'
}

export const toHelp = ({ usage }: Invocation): string => `${usage}

Writes a new application on Hull into a folder that is new or empty.

  --no-inbox  without the inbox: errors and traces go to the provider that SENTRY_DSN names
  --lab       with the pages of the lab, one for each behaviour of Hull
  --help      shows this text`

export interface Arguments {
  /** Absolute path. */
  folder: string
  inbox: boolean
  lab: boolean
  help: boolean
}

/**
 * @param args without the program's name
 * @param env has the flags that npm took, because no `--` is before them
 * @throws CreateError for an unknown flag, one that npm took, a missing folder argument, a folder in which Vite cannot build,
 * or one that is not empty
 */
export function readArguments(
  args: string[],
  { example }: Invocation,
  env: Record<string, string | undefined> = {}
): Arguments {
  const taken = FLAGS.find((flag) => env[`npm_config_${flag.replace('no-', '')}`] !== undefined)
  if (taken)
    throw new CreateError(`npm took --${taken} for an option of its own. Write -- before it: ${example} -- --${taken}`)
  const { values, positionals } = parse(args)
  const { lab = false, help = false } = values
  const [name, ...more] = positionals
  const folder = resolve(name ?? '')
  const read = { folder, inbox: !values['no-inbox'], lab, help }
  if (help) return read
  if (name === undefined) throw new CreateError(`name a folder for the application: ${example}`)
  if (more.length > 0) throw new CreateError(`name one folder, not ${positionals.length}: ${positionals.join(', ')}`)
  if (/[#?]/.test(folder)) throw new CreateError(`Vite cannot build in ${folder}: choose a path without # or ?.`)
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (stat && !stat.isDirectory()) throw new CreateError(`${folder} is a file: name a folder that is new or empty.`)
  if (stat && readdirSync(folder).length > 0)
    throw new CreateError(`${folder} is not empty: name another folder, or empty this one.`)
  return read
}

const FLAGS = ['no-inbox', 'lab']

function parse(args: string[]) {
  const options = { 'no-inbox': { type: 'boolean' }, lab: { type: 'boolean' }, help: { type: 'boolean' } } as const
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    const unknown = args.find((arg) => arg.startsWith('-') && !(arg.slice(2) in options))
    const what = unknown === undefined ? (error as Error).message : `there is no flag ${unknown}`
    throw new CreateError(`${what}. There are --no-inbox, --lab and --help.`)
  }
}
