import { join } from 'node:path'
import t from 'tap'
import { IN_REPOSITORY, PUBLISHED, readArguments, toHelp } from '../src/arguments.ts'

const folder = join(t.testdir(), 'app')

t.test('the help names the command as it is typed', async (t) => {
  t.match(toHelp(PUBLISHED), /^npm create hull <folder> -- \[--no-inbox\] \[--lab\]\n/)
  t.match(toHelp(IN_REPOSITORY), /^npm run create -- <folder> \[--no-inbox\] \[--lab\]\n/)
  t.throws(() => readArguments([], PUBLISHED), { message: 'name a folder for the application: npm create hull my-app' })
})

t.test('refuses a flag that npm took', async (t) => {
  for (const [variable, flag] of [
    ['npm_config_inbox', '--no-inbox'],
    ['npm_config_lab', '--lab']
  ] as const)
    t.throws(() => readArguments([folder], PUBLISHED, { [variable]: '' }), {
      message: `npm took ${flag} for an option of its own. Write -- before it: npm create hull my-app -- ${flag}`
    })
  t.match(readArguments([folder, '--lab'], PUBLISHED, {}), { folder, inbox: true, lab: true })
})

t.test('refuses a folder with # or ? in its path, because Vite cannot build there', async (t) => {
  for (const name of ['c#', 'what?/app'])
    t.throws(() => readArguments([join(folder, name)], PUBLISHED), {
      message: `Vite cannot build in ${join(folder, name)}: choose a path without # or ?.`
    })
  t.match(readArguments([join(folder, '100%')], PUBLISHED), { folder: join(folder, '100%') })
})
