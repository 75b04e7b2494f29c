import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { openSeedStore, seedShowcase } from '../../src/seed/index.ts'
import { seedInbox } from '../helpers/seed-inbox.ts'
import { runCommand, startCommand } from '../helpers/command.ts'
import { startWriter } from '../helpers/writer-process.ts'

type Line = Record<string, unknown> & { type: string }

const parse = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

const readLines = (folder: string, file: string) => parse(readFileSync(join(folder, file), 'utf8'))

/** Returns the text after the header, which contains the time of the export. */
const bodyOf = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8').replace(/^.*\n/, '')

const SHOP = createFolder(t)
const MONTH = createFolder(t)

t.before(() => {
  const shop = openSeedStore(join(SHOP, 'inbox.db'))
  seedShowcase(shop)
  shop.run(`INSERT INTO activity (issue, at, kind, data) VALUES (1, 1, 'commented', '{"text":"Who owns this?"}')`)
  shop.db.exec('PRAGMA journal_mode = WAL')
  shop.close()
  const month = openSeedStore(join(MONTH, 'inbox.db'))
  seedInbox(month, { events: 20_000, payloads: 0.3 })
  month.db.exec('PRAGMA journal_mode = WAL')
  month.close()
})

t.test('an export has a header, each row of the inbox once, and an end', async (t) => {
  t.match(await runCommand(t, SHOP, 'export', 'all.ndjson'), { code: 0, output: '', said: /exported \d+ lines to all/ })
  t.equal(statSync(join(SHOP, 'all.ndjson')).mode & 0o777, 0o600, 'only the owner can read it')
  const lines = readLines(SHOP, 'all.ndjson')
  t.match(lines[0], { type: 'header', format: 1, hull: /^\d+\.\d+\.\d+/, at: Number, projects: [{ id: 1 }, { id: 2 }] })
  t.same(lines.at(-1), { type: 'end' })

  const db = new DatabaseSync(join(SHOP, 'inbox.db'), { readOnly: true })
  t.teardown(() => db.close())
  const count = (table: string) => Number(db.prepare(`SELECT count(*) AS rows FROM ${table}`).get()!['rows'])
  const of = (type: string) => lines.filter((line) => line.type === type)
  for (const table of ['project', 'release', 'issue', 'event', 'attachment', 'feedback', 'log', 'check_in', 'session'])
    t.equal(of(table).length, count(table), table)
  const spans = of('transaction').flatMap((line) => line['spans'] as unknown[])
  t.equal(spans.length + of('transaction').length + of('span').length, count('span'))
  t.equal(of('event').filter(({ payload }) => payload !== null).length, count('event_payload'))
  t.match(
    of('event').find(({ payload }) => payload !== null),
    { eventId: /^[\da-f]{32}$/, payload: { exceptions: Array, breadcrumbs: Array, tags: Array } }
  )
  const activity = of('issue').flatMap((line) => line['activity'] as { kind: string; data: { text?: string } }[])
  t.ok(
    activity.some(({ kind }) => kind === 'commented'),
    'with comments'
  )
  t.equal(activity.length, count('activity'))
  const tags = of('issue').flatMap((line) => line['tags'] as unknown[])
  t.equal(tags.length, count('issue_tag'))
  t.match(of('attachment')[0], { body: /^[\w+/]+=*$/ })
})

t.test('exports to stdout have the same order, and messages are printed on stderr', async (t) => {
  const [one, two] = await Promise.all([runCommand(t, SHOP, 'export'), runCommand(t, SHOP, 'export')])
  t.equal(one.output.replace(/^.*\n/, ''), two.output.replace(/^.*\n/, ''))
  t.match(one.said.slice(one.output.length), /^hull: exported \d+ lines\n$/)
})

t.test('an export can be limited to a project, a time range and types', async (t) => {
  const since = new Date(Date.now() - 3 * 86_400_000).toISOString()
  const { output } = await runCommand(t, SHOP, 'export', '--project=1', `--since=${since}`, '--types=event,log')
  const lines = parse(output).slice(1, -1)
  t.ok(lines.length > 100)
  t.same([...new Set(lines.map(({ type }) => type))], ['event', 'log'])
  t.ok(lines.every(({ project, at }) => project === 1 && Number(at) >= Date.parse(since)))
  const early = parse(
    (await runCommand(t, SHOP, 'export', '--project=1', `--until=${since}`, '--types=event')).output
  ).slice(1, -1)
  t.ok(early.every(({ at }) => Number(at) < Date.parse(since)))
  const all = parse((await runCommand(t, SHOP, 'export', '--project=1', '--types=event')).output).slice(1, -1)
  t.equal(early.length + lines.filter(({ type }) => type === 'event').length, all.length)
  const without = parse((await runCommand(t, SHOP, 'export', '--skip-attachments')).output)
  t.notOk(without.some(({ type }) => type === 'attachment'))
})

t.test('a killed export can be continued, and has the same lines as one that was not killed', async (t) => {
  t.match(await runCommand(t, MONTH, 'export', 'whole.ndjson'), { code: 0 })
  const { child, ended } = startCommand(t, MONTH, ['export', 'killed.ndjson'])
  const size = () => statSync(join(MONTH, 'killed.ndjson'), { throwIfNoEntry: false })?.size ?? 0
  while (size() < 100_000 && child.exitCode === null) await pause(1)
  child.kill('SIGKILL')
  t.match(await ended, { signal: 'SIGKILL' })
  t.match(await runCommand(t, MONTH, 'export', 'killed.ndjson'), { code: 1, said: /APP_INBOX_EXPORT_EXISTS/ })
  t.match(await runCommand(t, MONTH, 'export', 'killed.ndjson', '--resume'), { code: 0, said: /further lines/ })
  t.ok(bodyOf(MONTH, 'killed.ndjson') === bodyOf(MONTH, 'whole.ndjson'))
  t.match(await runCommand(t, MONTH, 'export', 'killed.ndjson', '--resume'), { code: 0, said: /is complete already/ })
})

t.test('a complete file is not continued with other options', async (t) => {
  await runCommand(t, SHOP, 'export', 'issues.ndjson', '--types=issue')
  const others = await runCommand(t, SHOP, 'export', 'issues.ndjson', '--types=log', '--resume')
  t.match(others, { code: 1, said: /it was begun with other options; give the same ones/ })
})

t.test('a file that was cut at any position can be continued', async (t) => {
  await runCommand(t, SHOP, 'export', 'cut.ndjson')
  const whole = bodyOf(SHOP, 'cut.ndjson')
  const header = readFileSync(join(SHOP, 'cut.ndjson')).indexOf('\n')
  for (const share of [0.9, 0.3, 0.02]) {
    truncateSync(join(SHOP, 'cut.ndjson'), header + Math.floor(whole.length * share))
    t.match(await runCommand(t, SHOP, 'export', 'cut.ndjson', '--resume'), { code: 0 })
    t.ok(bodyOf(SHOP, 'cut.ndjson') === whole, `at ${share}`)
  }
  for (const size of [header + 1, header - 5]) {
    truncateSync(join(SHOP, 'cut.ndjson'), size)
    t.match(await runCommand(t, SHOP, 'export', 'cut.ndjson', '--resume'), { code: 0 })
    t.ok(bodyOf(SHOP, 'cut.ndjson') === whole, `${size} bytes`)
  }
})

t.test('a full disk ends the export with a message, and the export can be continued', async (t) => {
  // A limit of the process: writes above it fail as on a full disk.
  const limited = ['bash', '-c', 'ulimit -S -f 1024; unset NODE_OPTIONS; exec "$0" "$@"']
  const full = await startCommand(t, SHOP, ['export', 'full.ndjson'], limited).ended
  t.match(full, { code: 1, said: /^hull: The export stopped: .*Continue it with --resume.*APP_INBOX_EXPORT_STOPPED/ })
  t.match(await runCommand(t, SHOP, 'export', 'full.ndjson', '--resume'), { code: 0 })
  t.equal(bodyOf(SHOP, 'full.ndjson'), bodyOf(SHOP, 'all.ndjson'))
})

t.test('an export runs while a server stores events, and the server continues', async (t) => {
  const folder = createFolder(t)
  const writer = startWriter(t, join(folder, 'inbox.db'))
  await writer.stores(50)
  const { child, ended } = startCommand(t, folder, ['export'])
  while (child.exitCode === null) await writer.stores(1)
  const { code, output } = await ended
  t.equal(code, 0)
  const [header, ...lines] = parse(output)
  const events = lines.filter(({ type }) => type === 'event')
  t.ok(events.length >= 50)
  t.equal(events.length, (header!['upTo'] as Record<string, number>)['event'], 'the events from before the export')
  const issues = new Set(lines.filter(({ type }) => type === 'issue').map(({ id }) => id))
  t.ok(
    events.every(({ issue }) => issues.has(issue)),
    'each with its issue'
  )
  t.equal(await writer.stop(), 0)
})

t.test('an invalid command or file is refused with a message and a code', async (t) => {
  const invalid = async (code: string, says: RegExp, ...args: string[]) => {
    const { code: exit, said } = await runCommand(t, SHOP, 'export', ...args)
    t.equal(exit, 1, args.join(' '))
    t.match(said, says)
    t.match(said, new RegExp(`\\(${code}\\)\\n$`))
    t.notMatch(said, / at .*\.ts:/, 'no stack')
  }
  await invalid('APP_INBOX_COMMAND_INVALID', /Unknown option '--sinc'[^]*hull-inbox export/, '--sinc=1')
  for (const time of ['yesterday', '2026-11-1', '2026-02-31', '2026-11-01T14:00:00'])
    await invalid('APP_INBOX_COMMAND_INVALID', /is no time: write 2026-11-01/, `--since=${time}`)
  await invalid('APP_INBOX_COMMAND_INVALID', /--project=shop is no number/, '--project=shop')
  await invalid('APP_INBOX_COMMAND_INVALID', /no project 99\. There are: 1 \(.+\), 2 \(/, '--project=99')
  await invalid('APP_INBOX_COMMAND_INVALID', /There are: project, release, issue/, '--types=events')
  await invalid('APP_INBOX_COMMAND_INVALID', /--resume needs the file/, '--resume')
  await invalid('APP_INBOX_COMMAND_INVALID', /name one file, not 2/, 'one', 'two')
  await invalid('APP_INBOX_COMMAND_INVALID', /cannot be written/, 'no/such/folder.ndjson')
  for (const text of ['a shopping list\n', 'a shopping list', 'a shopping\nlist']) {
    writeFileSync(join(SHOP, 'other.txt'), text)
    await invalid('APP_INBOX_NOT_RESUMABLE', /other\.txt cannot be continued: it is no export/, 'other.txt', '--resume')
    t.equal(readFileSync(join(SHOP, 'other.txt'), 'utf8'), text)
  }
  truncateSync(join(SHOP, 'all.ndjson'), 100_000)
  await invalid('APP_INBOX_NOT_RESUMABLE', /with other options/, 'all.ndjson', '--resume', '--project=1')
  const empty = createFolder(t)
  t.match(await runCommand(t, empty, 'export'), { code: 1, said: /there is no inbox at .*DATA_DIR/ })
})

t.test('an inbox that cannot be read is named, without a stack', async (t) => {
  const folder = createFolder(t, { 'inbox.db': 'a shopping list' })
  const other = await runCommand(t, folder, 'export')
  t.match(other, { code: 1, said: /^hull: .*inbox\.db cannot be read: file is not a database\n$/ })

  const bytes = readFileSync(join(SHOP, 'inbox.db'))
  const db = new DatabaseSync(join(SHOP, 'inbox.db'), { readOnly: true })
  const { root } = db.prepare("SELECT rootpage AS root FROM sqlite_schema WHERE name = 'event'").get() as {
    root: number
  }
  db.close()
  const size = 8_192
  writeFileSync(join(folder, 'inbox.db'), bytes.fill(1, (root - 1) * size, root * size))
  const damaged = await runCommand(t, folder, 'export', 'all.ndjson')
  t.match(damaged, { code: 1, said: /^hull: .*inbox\.db cannot be read: database disk image is malformed\n$/ })
})

t.test('a closed pipe ends the export', async (t) => {
  const piped = ['bash', '-c', '"$0" "$@" | head -c 100; exit ${PIPESTATUS[0]}']
  t.match(await startCommand(t, MONTH, ['export'], piped).ended, { code: 1, said: /APP_INBOX_EXPORT_STOPPED/ })
})
