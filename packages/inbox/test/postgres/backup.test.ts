import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { startPostgres } from '@hull/test-helpers/services.ts'
import { sendEvents, thrown } from '../helpers/screens.ts'

/** Commands that docs/data.md names for an inbox in PostgreSQL: one to back up, two to restore. */
const document = readFileSync(join(import.meta.dirname, '../../docs/data.md'), 'utf8')
const section = document.slice(document.indexOf('### Back up PostgreSQL'))
const [backup, restore] = [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, commands]) => commands!)

const hasTools = ['pg_dump', 'pg_restore', 'psql'].every((name) => spawnSync(name, ['--version']).error === undefined)

t.test(
  'the commands of docs/data.md back up an inbox in PostgreSQL while it runs, and restore it',
  { skip: hasTools ? false : 'the tools of PostgreSQL are not installed' },
  async (t) => {
    const { url } = await startPostgres(t)
    const cwd = createFolder(t)
    const run = (commands: string) => {
      execFileSync('sh', ['-ec', commands], { cwd, env: { ...process.env, DATABASE_URL: url }, stdio: 'pipe' })
    }
    const open = async (t: Test) => {
      const { app } = await createTestApp(t, { env: { INBOX_PASSWORD, DATABASE_URL: url } })
      await app.ready()
      await app.inbox!.open!()
      return app
    }
    const readIssues = async (app: Awaited<ReturnType<typeof open>>) =>
      (await (await signIn(app)).get('/inbox/issues')).body

    const before = await open(t)
    await sendEvents(before, [thrown('TypeError', 'before the backup')])
    run(backup!)
    await sendEvents(before, [thrown('RangeError', 'after the backup')])
    t.match(await readIssues(before), /after the backup/)
    await before.close()

    run(restore!)
    const restored = await open(t)
    const issues = await readIssues(restored)
    t.match(issues, /before the backup/)
    t.notMatch(issues, /after the backup/)
    await sendEvents(restored, [thrown('SyntaxError', 'after the restore')])
    t.match(await readIssues(restored), /after the restore/)
    t.match((await (await signIn(restored)).get('/inbox/issues?query=restore')).body, /after the restore/, 'the search')
  }
)
