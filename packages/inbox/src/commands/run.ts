import { existsSync, renameSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { FastifyError } from 'fastify'
import { backUpInbox, restoreInbox } from '../store/sqlite/backup.ts'
import { InboxCommandInvalid } from '../errors.ts'
import type { StorePlace } from '../store/reader.ts'
import { isStorageError } from '../store/store-errors.ts'

type Command = (place: StorePlace, args: readonly string[]) => Promise<string>

const COMMANDS = new Map<string, Command>([
  ['backup', onFile(backUp)],
  ['restore', onFile(restore)],
  ['move', move],
  ['sample', onFile(fillWithSample)]
])

/** Commands that move data. They print all on stderr, because an export may go to stdout. */
const TRANSFERS = new Map<string, Command>([
  ['export', onFile(async (inbox, args) => (await import('./transfer.ts')).runExport(inbox, args))],
  ['replay', async (_place, args) => (await import('./transfer.ts')).runReplay(args)]
])

const HELP = `hull-inbox starts the server of the inbox. Its settings are environment variables.

Commands:
  hull-inbox backup FILE      copies the inbox to a file; the server may run
  hull-inbox restore FILE     puts a copy in the place of the inbox; stop the server first
  hull-inbox move [--back]    copies the inbox from DATA_DIR to the database of DATABASE_URL, or back
  hull-inbox sample           fills a new inbox with two weeks of sample data
  hull-inbox export [FILE]    writes the data of the inbox to a file or to standard output
      [--project=ID] [--since=TIME] [--until=TIME] [--types=TYPE,TYPE] [--skip-attachments] [--resume]
  hull-inbox replay FILE      sends an export to another inbox or to a provider
      --dsn=DSN [--types=TYPE,TYPE] [--give-up=SECONDS] [--resume]
`

const HELP_OPTIONS = ['--help', '-h']

/**
 * Runs a command on the inbox and prints the result, or an error on stderr.
 * @param place the inbox's file, and the database of `move`
 * @param command name of the command, or `--help`
 * @param args arguments after the name
 * @returns the exit code
 */
export async function runCommand(place: StorePlace, command: string, args: readonly string[]): Promise<number> {
  if ([command, ...args].some((arg) => HELP_OPTIONS.includes(arg))) {
    process.stdout.write(HELP)
    return 0
  }
  const transfer = TRANSFERS.get(command)
  try {
    const run = transfer ?? COMMANDS.get(command)
    if (!run) {
      const names = [...COMMANDS.keys(), ...TRANSFERS.keys()].join(', ')
      throw new InboxCommandInvalid(`there is no command ${command}. There are: ${names}`)
    }
    const result = await run(place, args)
    const output = transfer ? process.stderr : process.stdout
    output.write(`hull: ${result}\n`)
    return 0
  } catch (error) {
    const { code, message: reason, syscall } = error as FastifyError & NodeJS.ErrnoException
    const isOfStore = isStorageError(error)
    const message = isOfStore ? `${place.file} cannot be read: ${reason}` : reason
    const isCoded = code?.startsWith('APP_INBOX_') === true
    if (!isCoded && !isOfStore && syscall === undefined) throw error
    process.stderr.write(`hull: ${message}${isCoded ? ` (${code})` : ''}\n`)
    return 1
  }
}

/** Makes a command of one for a file, which is refused if the inbox is in a database. */
function onFile(run: (inbox: string, args: readonly string[]) => Promise<string>): Command {
  return async ({ file, database }, args) => {
    if (database === undefined) return run(file, args)
    throw new InboxCommandInvalid(
      'DATABASE_URL is set, and this command is for an inbox in a file. Back up the database with pg_dump --schema=hull_inbox, or copy it to a file with hull-inbox move --back'
    )
  }
}

async function backUp(inbox: string, args: readonly string[]): Promise<string> {
  const file = readFileArg(args)
  await backUpInbox(inbox, file)
  return `${inbox} is copied to ${resolve(file)}`
}

async function restore(inbox: string, args: readonly string[]): Promise<string> {
  const file = readFileArg(args)
  const aside = await restoreInbox(file, inbox)
  return `${inbox} is restored from ${resolve(file)}${aside === undefined ? '' : `; the previous inbox is kept as ${aside}`}`
}

/** @throws InboxCommandInvalid unless there is one argument, which is no option */
function readFileArg([file, ...others]: readonly string[]): string {
  if (file === undefined || file.startsWith('-') || others.length > 0)
    throw new InboxCommandInvalid('name a file, such as inbox-copy.db, and nothing else')
  return file
}

const MOVE_USAGE =
  'hull-inbox move copies the inbox from DATA_DIR to the database of DATABASE_URL; hull-inbox move --back copies it from there to a new file'

async function move(place: StorePlace, args: readonly string[]): Promise<string> {
  const { back } = readMoveArgs(args)
  const { moveInbox } = await import('../store/move/move.ts')
  return moveInbox({ ...place, back, report: (line) => process.stdout.write(`hull: ${line}\n`) })
}

function readMoveArgs(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: { back: { type: 'boolean', default: false } } }).values
  } catch (error) {
    throw new InboxCommandInvalid(`${(error as Error).message}\n${MOVE_USAGE}`)
  }
}

/** Fills a new inbox with two weeks of a made-up shop, to try the screens. */
async function fillWithSample(inbox: string, args: readonly string[]): Promise<string> {
  if (args.length > 0)
    throw new InboxCommandInvalid('hull-inbox sample takes no arguments: set DATA_DIR to a new folder')
  if (existsSync(inbox)) throw new InboxCommandInvalid(`${inbox} exists: set DATA_DIR to a new folder`)
  const { openSeedStore, seedShowcase } = await import('../seed/index.ts')
  // A process that ends leaves no inbox with a part of the data.
  const draft = `${inbox}.part`
  const store = openSeedStore(draft)
  seedShowcase(store)
  store.db.exec('PRAGMA journal_mode = WAL')
  store.close()
  renameSync(draft, inbox)
  return `${inbox} has two weeks of sample data`
}
