import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import {
  inTurn,
  accept,
  openProvider,
  reply,
  resetInHeaders,
  type ReceivedEnvelope
} from '@hull/test-helpers/provider.ts'
import { openSeedStore, seedShowcase } from '../../src/seed/index.ts'
import { runCommand, startCommand } from '../helpers/command.ts'

const SHOP = createFolder(t)
const FILE = join(SHOP, 'shop.ndjson')

t.before(async () => {
  const store = openSeedStore(join(SHOP, 'inbox.db'))
  seedShowcase(store)
  store.db.exec('PRAGMA journal_mode = WAL')
  store.close()
  t.match(await runCommand(t, SHOP, 'export', 'shop.ndjson', '--project=1'), { code: 0 })
})

const linesOf = (type: string) =>
  readFileSync(FILE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`{"type":"${type}"`))
/** Returns lines of events with details. */
const listSendable = () => linesOf('event').filter((line) => !line.includes('"payload":null'))
const countPayloads = () => listSendable().length

/** Copies the export to a new folder, and replays it from there. */
function copy(types: string, change: (text: string) => string = (text) => text) {
  const folder = createFolder(t)
  writeFileSync(join(folder, 'shop.ndjson'), change(readFileSync(FILE, 'utf8')))
  const words = (dsn: string, more: string[]) => ['replay', 'shop.ndjson', `--dsn=${dsn}`, `--types=${types}`, ...more]
  return {
    folder,
    run: (dsn: string, ...more: string[]) => runCommand(t, folder, ...words(dsn, more)),
    start: (dsn: string, ...more: string[]) => startCommand(t, folder, words(dsn, more)),
    state: () => JSON.parse(readFileSync(join(folder, 'shop.ndjson.replay.json'), 'utf8'))
  }
}

const idsOf = (envelopes: readonly ReceivedEnvelope[]) => envelopes.map(({ header }) => String(header['event_id']))

t.test('another inbox that receives an export has the same issues and counts', async (t) => {
  const DATA_DIR = createFolder(t)
  const env = { DATA_DIR, INBOX: 'on', TUNNEL_RATE: '0' }
  const { app, port } = await createListeningApp(t, { env })
  const project = await app.inbox!.changes.createProject({ name: 'Shop' })
  const dsn = `http://${project.key}@127.0.0.1:${port}/${project.id}`
  t.match(await runCommand(t, SHOP, 'replay', 'shop.ndjson', `--dsn=${dsn}`), {
    code: 0,
    said: /^hull: sent to .*0 failed/
  })
  // Nothing is counted twice when it is sent again.
  rmSync(`${FILE}.replay.json`)
  const withIds = '--types=event,feedback,transaction,session,check_in'
  t.match(await runCommand(t, SHOP, 'replay', 'shop.ndjson', `--dsn=${dsn}`, withIds), { code: 0, said: /0 failed/ })

  const read = (file: string, id: number) => {
    const db = new DatabaseSync(file, { readOnly: true })
    const all = (sql: string) => db.prepare(sql).all(id)
    const payloads = 'SELECT event FROM event_payload'
    const figures = {
      issues: all(
        `SELECT type, count(e.id) AS events FROM issue i JOIN event e ON e.issue = i.id AND e.id IN (${payloads})
         WHERE i.project = ? GROUP BY i.id ORDER BY type, events`
      ),
      events: all(`SELECT event_id, at FROM event WHERE project = ? AND id IN (${payloads}) ORDER BY event_id`),
      feedback: all('SELECT message, email FROM feedback WHERE project = ? ORDER BY message'),
      logs: all('SELECT count(*) AS logs FROM log WHERE project = ?'),
      sessions: all(
        'SELECT status, count(*) AS sessions FROM session WHERE project = ? GROUP BY status ORDER BY status'
      ),
      spans: all(
        'SELECT is_segment, count(*) AS spans FROM span WHERE project = ? GROUP BY is_segment ORDER BY is_segment'
      )
    }
    db.close()
    return figures
  }
  const expected = read(join(SHOP, 'inbox.db'), 1)
  t.ok(expected.events.length > 20 && expected.feedback.length > 0 && expected.sessions.length > 1)
  t.same(read(join(DATA_DIR, 'inbox.db'), project.id), expected)
})

t.test('a check-in without a result is not sent, because the receiver would wait for the result', async (t) => {
  const provider = await openProvider(t)
  provider.conduct(accept)
  const begun = { type: 'check_in', checkInId: 'a'.repeat(32), monitor: 'nightly', status: 'in_progress' }
  const replay = copy('check_in', (text) => text.replace('{"type":"end"}', `${JSON.stringify(begun)}\n{"type":"end"}`))
  const { code, said } = await replay.run(provider.dsn)
  t.equal(code, 0)
  t.match(said, /[1-9]\d* its result is not known/)
  t.notOk(provider.received.some(({ body }) => String(body).includes('in_progress')))
})

t.test('the replay waits for rate limits, repeats failed requests, and sends each event once', async (t) => {
  const provider = await openProvider(t)
  provider.conduct(
    inTurn(reply(429, { 'retry-after': '1' }), reply(503), resetInHeaders, reply(500, { 'retry-after': '1' }), accept)
  )
  const replay = copy('event')
  t.match(await replay.run(provider.dsn), { code: 0, said: `${countPayloads()} lines sent, 0 failed` })
  const ids = idsOf(provider.received)
  t.equal(ids.length, countPayloads())
  t.equal(new Set(ids).size, ids.length)
  t.match(provider.received[0], { url: '/api/7/envelope/', headers: { 'x-sentry-auth': /sentry_key=key/ } })
  t.notOk('sent_at' in provider.received[0]!.header, 'without it, the receiver does not correct the times')
  t.equal(statSync(join(replay.folder, 'shop.ndjson.replay.json')).mode & 0o777, 0o600)
  t.match(await replay.run(provider.dsn), { code: 0, said: 'was sent to 127.0.0.1' })
  t.equal(provider.received.length, ids.length)
})

t.test('a rate limit for one category stops only that category', async (t) => {
  const provider = await openProvider(t)
  provider.conduct(reply(200, { 'x-sentry-rate-limits': '3600:log_item:organization' }))
  const replay = copy('event,log')
  const { code, said } = await replay.run(provider.dsn, '--give-up=5')
  t.equal(code, 1)
  t.match(said, /accepts no more until \d{4}-.*Continue it with --resume \(APP_INBOX_REPLAY_STOPPED\)/)
  const logsOf = (envelopes: readonly ReceivedEnvelope[]) => envelopes.filter(({ header }) => !('event_id' in header))
  t.ok(provider.received.length > 100, 'the events before the log lines are sent')
  t.ok(logsOf(provider.received).length <= 16, 'only the requests in progress when the limit is received')
  provider.conduct(accept)
  t.match(await replay.run(provider.dsn, '--resume'), { code: 0 })
  t.equal(new Set(idsOf(provider.received)).size - 1, countPayloads(), 'all events, and log lines without an id')
})

t.test('the replay waits after a refusal that only limits another category', async (t) => {
  const provider = await openProvider(t)
  let requests = 0
  provider.conduct((response, envelope) => {
    const refuse = ++requests > 500 ? reply(401) : reply(429, { 'x-sentry-rate-limits': '60:monitor:organization' })
    refuse(response, envelope)
  })
  const { code, said } = await copy('event').run(provider.dsn, '--give-up=2')
  t.equal(code, 1)
  t.match(said, 'the receiver accepted nothing for')
  t.ok(requests < 500, `${requests} requests`)
})

t.test('a killed replay can be continued: no line is lost, and one that is sent twice has the same id', async (t) => {
  const provider = await openProvider(t)
  provider.conduct((response, envelope) => {
    setTimeout(() => accept(response, envelope), 20)
  })
  const replay = copy('event')
  const { child, ended } = replay.start(provider.dsn)
  await provider.has(20)
  child.kill('SIGKILL')
  t.match(await ended, { signal: 'SIGKILL' })
  t.match(await replay.run(provider.dsn), {
    code: 1,
    said: /continue with --resume, or remove .*APP_INBOX_REPLAY_BEGUN/
  })
  t.match(await replay.run(provider.dsn, '--resume'), { code: 0, said: `${countPayloads()} lines sent` })
  const ids = idsOf(provider.received)
  t.equal(new Set(ids).size, countPayloads())
  t.ok(ids.length - countPayloads() <= 16, `${ids.length - countPayloads()} sent twice`)
})

t.test('nothing is sent if the position cannot be saved, and a replay stops when saving fails', async (t) => {
  const provider = await openProvider(t)
  const replay = copy('event')
  const draft = join(replay.folder, 'shop.ndjson.replay.json.new')
  mkdirSync(draft)
  t.match(await replay.run(provider.dsn), {
    code: 1,
    said: /cannot be noted.*EISDIR.*\(APP_INBOX_COMMAND_INVALID\)\n$/
  })
  t.equal(provider.received.length, 0)
  rmSync(draft, { recursive: true })
  provider.conduct((response, envelope) => {
    mkdirSync(draft, { recursive: true })
    accept(response, envelope)
  })
  t.match(await replay.run(provider.dsn), { code: 1, said: /cannot be noted.*EISDIR.*\(APP_INBOX_REPLAY_STOPPED\)\n$/ })
})

t.test('log lines are sent together in envelopes', async (t) => {
  const provider = await openProvider(t)
  t.match(await copy('log').run(provider.dsn), { code: 0 })
  const items = provider.received.flatMap((envelope) => envelope.items)
  t.equal(items.length, provider.received.length, 'one item in each envelope')
  const counts = items.map(({ payload }) => (JSON.parse(payload.toString()) as { items: unknown[] }).items.length)
  t.same(
    counts,
    items.map(({ header }) => header['item_count'])
  )
  t.equal(
    counts.reduce((sum, count) => sum + count, 0),
    linesOf('log').length
  )
  t.ok(Math.max(...counts) > 1 && Math.max(...counts) <= 100)
})

t.test('lines that are refused or cannot be parsed are reported, and the others are sent', async (t) => {
  const provider = await openProvider(t)
  const first = JSON.parse(listSendable()[0]!) as { eventId: string }
  provider.conduct((response, envelope) => {
    const isFirst = envelope.header['event_id'] === first.eventId
    ;(isFirst ? reply(413) : accept)(response, envelope)
  })
  const replay = copy('event', (text) =>
    text.replace('{"type":"event"', '{"type":"event",\n{"type":"event"}\n{"type":"later"}\n{"type":"event"')
  )
  const { code, said } = await replay.run(provider.dsn)
  t.equal(code, 1)
  t.match(said, new RegExp(`${countPayloads() - 1} lines sent, 4 failed`))
  t.match(said, /line \d+: it cannot be read; line \d+: it cannot be read; line \d+: it cannot be read/)
  t.match(said, /line \d+: the receiver answered 413[^]*APP_INBOX_REPLAY_INCOMPLETE/)
  t.notMatch(said, / at .*\.ts:/, 'no stack')
  t.match(await replay.run(provider.dsn), { code: 1, said: /4 failed/ }, 'the failures are reported again')
  t.equal(provider.received.length, countPayloads() - 1)
})

t.test('an incomplete export is sent up to its end, and the rest after it is continued', async (t) => {
  const provider = await openProvider(t)
  const text = readFileSync(FILE, 'utf8')
  const cut = text.indexOf(listSendable()[20]!) + 500
  const replay = copy('event', () => text.slice(0, cut))
  t.match(await replay.run(provider.dsn), { code: 1, said: /the export is not complete: continue it with --resume/ })
  t.equal(provider.received.length, 20)
  appendFileSync(join(replay.folder, 'shop.ndjson'), text.slice(cut))
  t.match(await replay.run(provider.dsn, '--resume'), { code: 0 })
  t.equal(new Set(idsOf(provider.received)).size, countPayloads())
})

t.test('an invalid DSN, file or option is refused with a message and a code', async (t) => {
  const provider = await openProvider(t)
  const invalid = async (code: string, says: RegExp, text: string | undefined, ...args: string[]) => {
    const folder = createFolder(t)
    if (text !== undefined) writeFileSync(join(folder, 'a.ndjson'), text)
    const { code: exit, said } = await runCommand(t, folder, 'replay', ...args)
    t.equal(exit, 1, args.join(' '))
    t.match(said, says)
    t.match(said, new RegExp(`\\(${code}\\)\\n$`))
    t.notMatch(said, / at .*\.ts:/, 'no stack')
    t.notOk(existsSync(join(folder, 'a.ndjson.replay.json')))
  }
  const dsn = `--dsn=${provider.dsn}`
  const header = '{"type":"header","format":1,"at":1}\n'
  await invalid('APP_INBOX_COMMAND_INVALID', /name a file and a DSN\nhull-inbox replay FILE/, header, 'a.ndjson')
  await invalid('APP_INBOX_COMMAND_INVALID', /a DSN reads https/, header, 'a.ndjson', '--dsn=https://shop.example')
  await invalid('APP_INBOX_COMMAND_INVALID', /b\.ndjson cannot be read: ENOENT/, header, 'b.ndjson', dsn)
  await invalid('APP_INBOX_COMMAND_INVALID', /--give-up=long is no number/, header, 'a.ndjson', dsn, '--give-up=long')
  await invalid('APP_INBOX_NOT_AN_EXPORT', /its first line is no header/, '', 'a.ndjson', dsn)
  await invalid('APP_INBOX_NOT_AN_EXPORT', /its first line is no header/, '\0\x01\n\x02', 'a.ndjson', dsn)
  await invalid('APP_INBOX_NOT_AN_EXPORT', /a newer version/, header.replace('1', '2'), 'a.ndjson', dsn)
})

t.test('a receiver that answers only with short rate limits ends the replay', async (t) => {
  const provider = await openProvider(t)
  const replay = copy('event')
  provider.conduct(reply(429, { 'retry-after': '1' }))
  const { code, said } = await replay.run(provider.dsn, '--give-up=3')
  t.equal(code, 1)
  t.match(said, /accepted nothing for 3 s, last: a rate limit\. Continue it with --resume/)
})

t.test('a receiver that refuses the key or stays down ends the replay, which can be continued', async (t) => {
  const provider = await openProvider(t)
  const replay = copy('event')
  provider.conduct(reply(401))
  t.match(await replay.run(provider.dsn), { code: 1, said: /the receiver answered 401; check the DSN/ })
  t.equal(provider.received.length, 0)
  provider.conduct(accept)
  await provider.goDown()
  const { code, said } = await replay.run(provider.dsn, '--give-up=1')
  t.equal(code, 1)
  t.match(said, /accepted nothing for 1 s, last: .*ECONNREFUSED[^]*Continue it with --resume/)
  await provider.comeBack()
  t.match(await replay.run(provider.dsn, '--resume'), { code: 0, said: `${countPayloads()} lines sent` })
  t.match(await replay.run(provider.dsn.replace('/7', '/8'), '--resume'), { code: 1, said: /APP_INBOX_NOT_RESUMABLE/ })
})
