import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { FastifyError } from 'fastify'
import { BackupFailed, backUpInbox, restoreInbox } from './store/backup.ts'

/** Error of a command, with a remedy in its message. */
class CommandFailed extends Error {
  override name = 'CommandFailed'
}

type Command = (inbox: string, args: readonly string[]) => Promise<string>

const COMMANDS = new Map<string, Command>([
  ['backup', copy],
  ['restore', putBack],
  ['sample', fill]
])

/** Commands that move data. They print on stderr, because an export may go to stdout. */
const TRANSFERS = new Map<string, Command>([
  ['export', async (inbox, args) => (await import('./transfer/commands.ts')).runExport(inbox, args)],
  ['replay', async (_inbox, args) => (await import('./transfer/commands.ts')).runReplay(args)]
])

/**
 * Runs a command on the inbox and prints the result.
 * @param inbox the inbox's file
 * @param command name of the command
 * @param args arguments after the name
 * @returns the exit code
 */
export async function runInboxTool(inbox: string, command: string, args: readonly string[]): Promise<number> {
  const transfer = TRANSFERS.get(command)
  const output = transfer ? process.stderr : process.stdout
  try {
    const run = transfer ?? COMMANDS.get(command)
    if (!run) {
      const names = [...COMMANDS.keys(), ...TRANSFERS.keys()].join(', ')
      throw new CommandFailed(`there is no command ${command}. There are: ${names}`)
    }
    output.write(`hull: ${await run(inbox, args)}\n`)
    return 0
  } catch (error) {
    const { code, message } = error as FastifyError
    const isCoded = code?.startsWith('APP_INBOX_') === true
    if (!isCoded && !(error instanceof BackupFailed || error instanceof CommandFailed)) throw error
    output.write(`hull: ${message}${isCoded ? ` (${code})` : ''}\n`)
    return 1
  }
}

async function copy(inbox: string, [file]: readonly string[]): Promise<string> {
  if (file === undefined) throw new CommandFailed('name a file, such as inbox-copy.db')
  await backUpInbox(inbox, file)
  return `${inbox} is copied to ${resolve(file)}`
}

async function putBack(inbox: string, [file]: readonly string[]): Promise<string> {
  if (file === undefined) throw new CommandFailed('name a file, such as inbox-copy.db')
  const aside = await restoreInbox(file, inbox)
  return `${inbox} is restored from ${resolve(file)}${aside === undefined ? '' : `; the previous inbox is kept as ${aside}`}`
}

/** Fills a new inbox with two weeks of a made-up shop, to try the screens. */
async function fill(inbox: string): Promise<string> {
  if (existsSync(inbox)) throw new CommandFailed(`${inbox} exists: set DATA_DIR to a new folder`)
  const { openSeedStore, seedShowcase } = await import('./seed/index.ts')
  const store = openSeedStore(inbox)
  seedShowcase(store)
  store.db.exec('PRAGMA journal_mode = WAL')
  store.close()
  return `${inbox} has two weeks of sample data`
}
