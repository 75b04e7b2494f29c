import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { BackupFailed, backUpInbox, restoreInbox } from './store/backup.ts'

/** Error of a command, with a remedy in its message. */
class CommandFailed extends Error {
  override name = 'CommandFailed'
}

const COMMANDS = new Map([
  ['backup', copy],
  ['restore', putBack],
  ['sample', fill]
])

/**
 * Backs the inbox up, restores it from a backup, or fills a new one with sample data. Prints the result.
 * @param inbox the inbox's file
 * @param command `backup`, `restore` or `sample`
 * @param file the backup, for `backup` and `restore`
 * @returns the exit code
 */
export async function runInboxTool(inbox: string, command: string, file: string | undefined): Promise<number> {
  try {
    const run = COMMANDS.get(command)
    if (!run) throw new CommandFailed(`there is no command ${command}. There are: ${[...COMMANDS.keys()].join(', ')}`)
    say(await run(inbox, file))
    return 0
  } catch (error) {
    if (!(error instanceof BackupFailed || error instanceof CommandFailed)) throw error
    say(error.message)
    return 1
  }
}

async function copy(inbox: string, file: string | undefined): Promise<string> {
  if (file === undefined) throw new CommandFailed('name a file, such as inbox-copy.db')
  await backUpInbox(inbox, file)
  return `${inbox} is copied to ${resolve(file)}`
}

async function putBack(inbox: string, file: string | undefined): Promise<string> {
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

function say(text: string) {
  process.stdout.write(`hull: ${text}\n`)
}
