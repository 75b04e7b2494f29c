import t from 'tap'
import { copyProject, readCommands, tryCommand } from '@hull/test-helpers/commands.ts'

/** Milliseconds to watch a server. */
const WATCHED = 60_000

t.setTimeout(900_000)

t.test('the commands of the README work, and servers run for a minute without an error', async (t) => {
  const root = copyProject(t)
  for (const command of readCommands()) await tryCommand(t, root, command, WATCHED)
})
