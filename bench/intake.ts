import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAlertLoop } from '../packages/inbox/src/alerts/loop.ts'
import type { Inbox } from '../packages/inbox/src/store/inbox.ts'
import { openInbox } from '../packages/inbox/src/store/open.ts'
import { fill } from './fill.ts'
import { percentile } from './ratios.ts'

/** A turn in which envelopes are stored at a steady rate. */
export interface IntakeTurn {
  file: string
  retentionDays: number
  /** Envelopes with their header lines, sent one after the other with new ids, again from the start at the end. */
  envelopes: string[]
  /** Envelopes per second. */
  rate: number
  /** Seconds of warm-up, which are not measured, and seconds that are measured. */
  warmUp: number
  seconds: number
  /** Whether the inbox is closed after the turn, and opened again for the next turn. */
  closes: boolean
  /** Whether alerts are sent, also to addresses of this machine. @default false */
  alerts?: boolean
}

export interface IntakeResult {
  /** 99th percentile of the milliseconds until an envelope was stored. */
  p99: number
  /** Events and spans that the retention removed per second. */
  removed: number
  /** Events and spans that the retention still has to remove. */
  left: number
  /** Milliseconds of CPU per envelope, user and system, of all threads. */
  cpu: number
}

const DAY = 86_400_000
const GIB = 1024 ** 3

let inbox: Inbox | undefined

process.on('message', async function runTurnAndReport(turn: IntakeTurn) {
  process.send!(await runTurn(turn))
})

async function runTurn({ file, retentionDays, rate, warmUp, seconds, closes, alerts, ...turn }: IntakeTurn) {
  inbox ??= await open(file, retentionDays, alerts)
  const envelopes = turn.envelopes.map(parse)
  const old = Date.now() - retentionDays * DAY
  await send(inbox, envelopes, rate, warmUp)
  const before = countBefore(file, old)
  const start = process.cpuUsage()
  const times = await send(inbox, envelopes, rate, seconds)
  const { user, system } = process.cpuUsage(start)
  const left = countBefore(file, old)
  if (closes) {
    await inbox.close()
    inbox = undefined
  }
  const p99 = percentile(times, 0.99)
  const cpu = (user + system) / 1_000 / times.length
  return { p99, removed: (before - left) / seconds, left, cpu } satisfies IntakeResult
}

async function open(file: string, retentionDays: number, alerts = false): Promise<Inbox> {
  const log = { info() {}, warn: console.warn, error: console.error }
  const settings = { file, retentionDays, maxBytes: 4 * GIB, release: '1.0.0', environment: 'production', log }
  const inbox = await openInbox(settings)
  if (alerts) createAlertLoop({ inbox, log, allowPrivate: true }).start()
  return inbox
}

/** @returns for each envelope the milliseconds until it was stored */
async function send(inbox: Inbox, envelopes: ReturnType<typeof parse>[], rate: number, seconds: number) {
  const times: number[] = []
  const all: Promise<void>[] = []
  const begin = performance.now()
  const count = seconds * rate
  while (all.length < count) {
    const due = Math.min(count, ((performance.now() - begin) * rate) / 1_000)
    while (all.length < due) all.push(deliver(all.length))
    await sleep(1)
  }
  await Promise.all(all)
  return times

  async function deliver(index: number): Promise<void> {
    const { header, rest } = envelopes[index % envelopes.length]!
    const bytes = Uint8Array.from(Buffer.from(fill(rest)))
    const arrived = performance.now()
    const meta = { dsn: header.dsn, header: { ...header }, counts: {}, receivedAt: Date.now() }
    await inbox.sink.accept({ meta, body: bytes })
    times.push(performance.now() - arrived)
  }
}

function parse(envelope: string) {
  const newline = envelope.indexOf('\n')
  const header = JSON.parse(envelope.slice(0, newline)) as { dsn: string }
  return { header, rest: envelope.slice(newline + 1) }
}

/** Counts the events and spans that were received before a time. */
function countBefore(file: string, received: number): number {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const count = (table: string) =>
      (db.prepare(`SELECT count(*) AS rows FROM ${table} WHERE received < ?`).get(received) as { rows: number }).rows
    return count('event') + count('span')
  } finally {
    db.close()
  }
}
