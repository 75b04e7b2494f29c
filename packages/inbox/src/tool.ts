import { resolve } from 'node:path'
import { BackupFailed, backUpInbox, restoreInbox } from './store/backup.ts'

/**
 * Copies the inbox to a file, or puts a copy in its place; prints what was done.
 * @param inbox the inbox's file
 * @param command `backup` or `restore`
 * @returns the exit code
 */
export async function runInboxTool(inbox: string, command: string, file: string | undefined): Promise<number> {
  try {
    if (command !== 'backup' && command !== 'restore')
      throw new BackupFailed(`there is no command ${command}. There are: backup, restore`)
    if (file === undefined) throw new BackupFailed(`name a file: npm run inbox:${command} -- inbox-copy.db`)
    if (command === 'backup') {
      await backUpInbox(inbox, file)
      say(`${inbox} is copied to ${resolve(file)}`)
    } else {
      const aside = await restoreInbox(file, inbox)
      say(`${inbox} is now what ${resolve(file)} was${aside === undefined ? '' : `; what it was is kept as ${aside}`}`)
    }
    return 0
  } catch (error) {
    if (!(error instanceof BackupFailed)) throw error
    say(error.message)
    return 1
  }
}

function say(text: string) {
  process.stdout.write(`hull: ${text}\n`)
}
