import { readFileSync } from 'node:fs'
import t from 'tap'
import { copyProject, findTrial, isSlow, readCommands, spoilFormat, tryCommand } from '@hull/test-helpers/commands.ts'

t.test('the README lists every script of package.json, and each command of the README has a test', async (t) => {
  const commands = readCommands()
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  for (const command of commands) t.ok(findTrial(command), command)
  for (const name of Object.keys(scripts))
    t.ok(
      commands.some((command) => command.split(' ').includes(name)),
      `npm run ${name} is in the README`
    )
  t.throws(() => findTrial('npm run unheard-of'), /add to packages\/test-helpers\/src\/commands.ts/)
})

t.test('the commands of the README work', async (t) => {
  const root = copyProject(t)
  const readUnformatted = spoilFormat(root)
  for (const command of readCommands().filter((command) => !isSlow(command))) await tryCommand(t, root, command, 0)
  t.match(readUnformatted(), "export const spoilt = 'x'\n", 'npm run format has formatted the file')
})
