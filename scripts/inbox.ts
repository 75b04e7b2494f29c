import { join, resolve } from 'node:path'
import { loadConfig } from '../config.ts'
import { BackupFailed, backUpInbox, restoreInbox } from '../packages/inbox/src/store/backup.ts'

/*
 * npm run inbox:backup -- <file>
 * npm run inbox:restore -- <file>
 */

const [command, file] = process.argv.slice(2)
const inbox = join(loadConfig().dataDir, 'inbox.db')

try {
  if (file === undefined) throw new BackupFailed(`name a file: npm run inbox:${command} -- inbox-copy.db`)
  if (command === 'backup') {
    await backUpInbox(inbox, file)
    say(`${inbox} is copied to ${resolve(file)}`)
  } else {
    const aside = await restoreInbox(file, inbox)
    say(`${inbox} is now what ${resolve(file)} was${aside === undefined ? '' : `; what it was is kept as ${aside}`}`)
  }
} catch (error) {
  if (!(error instanceof BackupFailed)) throw error
  say(error.message)
  process.exitCode = 1
}

function say(text: string) {
  process.stdout.write(`hull: ${text}\n`)
}
