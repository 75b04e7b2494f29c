import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { BackupFailed, backUpInbox, restoreInbox } from './store/backup.ts'

/** What a command refuses, with what to do instead. */
class CommandFailed extends Error {
  override name = 'CommandFailed'
}

const COMMANDS = new Map([
  ['backup', copy],
  ['restore', putBack],
  ['sample', fill]
])

/**
 * Copies the inbox to a file, puts a copy in its place, or fills a new one with sample data; prints what was done.
 * @param inbox the inbox's file
 * @param command `backup`, `restore` or `sample`
 * @param file of `backup` and `restore`: the copy
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
  return `${inbox} is now what ${resolve(file)} was${aside === undefined ? '' : `; what it was is kept as ${aside}`}`
}

/** Two weeks of a made-up shop, to see the screens with. */
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
