import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { MINUTE } from '../../packages/common/src/time.ts'
import {
  RULE_KINDS,
  type AlertMessage,
  type RuleKind,
  type ThresholdSubject
} from '../../packages/inbox/src/alerts/types.ts'
import { openSeedStore } from '../../packages/inbox/src/seed/index.ts'
import { seedInbox } from '../../packages/inbox/test/helpers/seed-inbox.ts'
import { VITALS } from '../../packages/inbox/src/store/model.ts'
import { SqliteStore } from '../../packages/inbox/src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../packages/inbox/src/store/store.ts'
import { VITAL_BOUNDS } from '../../packages/inbox/src/web/vitals.ts'
import { CACHE, PROJECT } from '../contenders/contender.ts'
import type { IntakeResult, IntakeTurn } from '../intake.ts'
import { readMix } from '../mix.ts'
import { startNode, stopProcess, untilIdle } from '../processes.ts'
import type { Bench, Measurement } from './measure.ts'

const EVENTS = 1_000_000

/** Two stores that differ only in rules and thresholds. */
const FILES = { withRules: join(CACHE, 'inbox-with-rules.db'), withoutRules: join(CACHE, 'inbox-without-rules.db') }

/**
 * Channels, each with a rule of every kind: 200 rules. Channels with thresholds of every kind and vital and of three
 * issues: 200 thresholds.
 */
const CHANNELS = 40
const THRESHOLDS = 20
const ISSUES = [1, 2, 3]

/** Errors per second, seconds of a turn, seconds of its warm-up, and projects whose alerts are timed in a round. */
const RATE = 500
const SECONDS = 5
const WARM_UP = 2
const PROBES = 10

/** Turns before the first round. */
const SETTLING_TURNS = 4

/** Milliseconds after which an alert counts as lost. */
const PATIENCE = 30_000

/** Id of the first project whose alerts are timed; the next ids follow it. */
const FIRST_PROBE = 1_000

/**
 * Measures the CPU for storing errors with 200 rules and 200 thresholds, relative to a store without them, and the time
 * until an alert arrives under this load.
 */
export async function measureInboxAlerts({ options, bothCores, say }: Bench): Promise<Measurement[]> {
  const receiver = await startReceiver()
  say(`inbox alerts: filling two stores with ${EVENTS.toLocaleString('en')} events`)
  fillBoth(receiver.url, options.rounds * PROBES)
  const start = () =>
    startNode({ args: [join(PROJECT, 'bench/intake.ts')], cwd: PROJECT, env: {} }, { core: bothCores, ipc: true })
  const [withRules, withoutRules] = [start(), start()]
  const sides = [
    { child: withRules, file: FILES.withRules },
    { child: withoutRules, file: FILES.withoutRules }
  ]
  const turn = { retentionDays: 365, rate: RATE, seconds: SECONDS, closes: false, alerts: true }
  const known = errorsFor(1)
  const ratios: number[] = []
  const times: Record<'new' | 'spike', number[]> = { new: [], spike: [] }
  const runSide = async ({ child, file }: (typeof sides)[number]) =>
    (await run(child, { ...turn, file, envelopes: known, warmUp: WARM_UP })).cpu
  // Warm-up: V8 compiles the code, and the inbox sends the alerts of the first errors.
  for (let time = 0; time < SETTLING_TURNS; time++) await Promise.all(sides.map(runSide))
  // A new store needs maintenance, which pauses while errors arrive, and pauses longer in the store with more to write.
  await Promise.all(sides.map(({ child }) => untilIdle(child.pid!)))
  for (let round = 0; round < options.rounds; round++) {
    // Both run at the same time, so that other work of the machine slows both down alike.
    const [cpu, without] = await Promise.all(sides.map(runSide))
    ratios.push(cpu! / without!)
    const probes = Array.from({ length: PROBES }, (_, index) => FIRST_PROBE + round * PROBES + index)
    const count = RATE * SECONDS
    const envelopes = Array.from({ length: count }, (_, index) => known[index % known.length]!)
    for (const [index, probe] of probes.entries()) envelopes[(index * count) / PROBES] = errorsFor(probe)[0]!
    await run(withRules, { ...turn, file: FILES.withRules, envelopes, warmUp: 0 })
    const slowest = await receiver.slowestOf(probes)
    for (const kind of ['new', 'spike'] as const) times[kind].push(slowest[kind])
    say(
      `inbox alerts, round ${round + 1} of ${options.rounds}: CPU ${cpu!.toFixed(3)} ms an error to ` +
        `${without!.toFixed(3)} ms; ${slowest.new.toFixed(1)} s until a rule alerts, ${slowest.spike.toFixed(1)} s a threshold`
    )
  }
  await Promise.all([withRules, withoutRules].map(stopProcess))
  receiver.close()
  removeBoth()
  const at = `at ${RATE} errors/s, slowest of ${PROBES}`
  return [
    {
      id: 'alerts cpu',
      label: `inbox, CPU of storing ${RATE} errors/s: 200 rules and 200 thresholds, relative to none`,
      unit: 'times',
      samples: { hull: ratios }
    },
    {
      id: 'alerts rule',
      label: `inbox, time from an error to the alert of a rule ${at}`,
      unit: 's',
      samples: { hull: times.new }
    },
    {
      id: 'alerts threshold',
      label: `inbox, time from an error to the alert of a threshold ${at}`,
      unit: 's',
      samples: { hull: times.spike }
    }
  ]
}

async function run(child: ChildProcess, turn: IntakeTurn): Promise<IntakeResult> {
  child.send(turn)
  const [result] = (await once(child, 'message')) as [IntakeResult]
  return result
}

/** Errors of the mix, without time stamps, so that the time of an error is the time of its receipt. */
const errorsFor = (project: number): string[] =>
  readMix(`https://key@inbox.invalid/${project}`)
    .filter((envelope) => envelope.includes('"type":"event"'))
    .map((envelope) => envelope.replaceAll(/"timestamp":[\d.]+,/g, ''))

/** Starts a webhook that records when the alerts of each project arrived. */
async function startReceiver() {
  const arrivals = new Map<number, { received?: number; new?: number; spike?: number }>()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      note(JSON.parse(body) as AlertMessage, Date.now())
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  function note({ project, changes }: AlertMessage, now: number): void {
    const seen = arrivals.get(project.id) ?? {}
    arrivals.set(project.id, seen)
    for (const { kind, at } of changes) {
      // The time of a new issue is the time of receipt of its first event.
      if (kind === 'new') seen.received = Date.parse(at)
      if (kind === 'new' || kind === 'spike') seen[kind] ??= now
    }
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /**
     * Waits for the alerts of the projects.
     * @returns the longest time from an error to its alert, in seconds, by kind
     */
    async slowestOf(projects: number[]): Promise<{ new: number; spike: number }> {
      const isHere = (id: number) => arrivals.get(id)?.new !== undefined && arrivals.get(id)?.spike !== undefined
      for (const end = performance.now() + PATIENCE; !projects.every(isHere); await sleep(50))
        if (performance.now() > end) throw new Error(`An alert did not arrive within ${PATIENCE} ms`)
      const seconds = (kind: 'new' | 'spike') =>
        Math.max(...projects.map((id) => (arrivals.get(id)![kind]! - arrivals.get(id)!.received!) / 1_000))
      return { new: seconds('new'), spike: seconds('spike') }
    },
    close: () => server.close()
  }
}

function fillBoth(url: string, probes: number): void {
  removeBoth()
  const withoutRules = openSeedStore(FILES.withoutRules)
  seedInbox(withoutRules, { events: EVENTS })
  for (let probe = FIRST_PROBE; probe < FIRST_PROBE + probes; probe++)
    withoutRules.run('INSERT INTO project (id, name, key, created) VALUES (?1, ?1, ?1, 1)', probe)
  withoutRules.close()
  copyFileSync(FILES.withoutRules, FILES.withRules)
  const withRules = new SqliteStore(new DatabaseSync(FILES.withRules))
  withRules.transaction(() => {
    addRules(withRules, url)
    const channel = addChannel(withRules, url, 0)
    for (let probe = FIRST_PROBE; probe < FIRST_PROBE + probes; probe++) {
      addRule(withRules, probe, channel, 'new')
      addThreshold(withRules, probe, channel, { kind: 'spike', bound: 1, minimum: 1 })
    }
  })
  withRules.close()
}

function addRules(store: Store, url: string): void {
  const channels = Array.from({ length: CHANNELS }, () => addChannel(store, url, MINUTE))
  for (const channel of channels) for (const kind of RULE_KINDS) addRule(store, 1, channel, kind)
  const subjects: ThresholdSubject[] = [
    { kind: 'spike', bound: 5, minimum: 50 },
    { kind: 'crash-free', bound: 99, minimum: 100 },
    ...VITALS.map((vital) => ({ kind: 'vital', vital, bound: VITAL_BOUNDS[vital].good, minimum: 100 }) as const),
    ...ISSUES.map((issue) => ({ kind: 'spike', issue, bound: 5, minimum: 50 }) as const)
  ]
  for (const channel of channels.slice(0, THRESHOLDS))
    for (const subject of subjects) addThreshold(store, 1, channel, subject)
}

const addChannel = (store: Store, url: string, groupWindow: number): number =>
  store.insert(
    `INSERT INTO alert_channel (kind, name, target, secret, group_window, zone, created)
     VALUES ('webhook', 'Bench', ?, 'whsec_YmVuY2g=', ?, 'UTC', 1)`,
    url,
    groupWindow
  )

const addRule = (store: Store, project: number, channel: number, kind: RuleKind): void =>
  void store.run('INSERT INTO alert_rule (project, channel, kind, created) VALUES (?, ?, ?, 1)', project, channel, kind)

function addThreshold(store: Store, project: number, channel: number, subject: ThresholdSubject): void {
  const { kind, issue = null, vital = null, bound, minimum } = subject
  store.run(
    `INSERT INTO alert_threshold (project, channel, kind, issue, vital, bound, minimum, tells_end, enabled, created)
     VALUES (?, ?, ?, ?, ?, ?, ?, 1, 1, 1)`,
    project,
    channel,
    kind,
    issue,
    vital,
    bound,
    minimum
  )
}

function removeBoth(): void {
  for (const file of Object.values(FILES))
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true })
}
