import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openSeedStore } from '../../packages/inbox/src/seed/index.ts'
import { seedInbox } from '../../packages/inbox/test/helpers/seed-inbox.ts'
import { CACHE, PROJECT } from '../contenders/contender.ts'
import type { IntakeResult, IntakeTurn } from '../intake.ts'
import { readMix } from '../mix.ts'
import { startNode, stopProcess } from '../processes.ts'
import type { Bench, Measurement } from './measure.ts'

const DAY = 86_400_000

/** Data that is a month old: events, half of them with a payload, spans and sessions. */
const OLD = { events: 400_000, payloads: 0.5, days: 29, scattered: true }

/** Two equal stores: retention removes everything from one, and nothing from the other. */
const SIDES = {
  deleting: { file: join(CACHE, 'inbox-deleting.db'), retentionDays: 30, closes: true },
  idle: { file: join(CACHE, 'inbox-idle.db'), retentionDays: 365, closes: false }
}

/** Envelopes per second. */
const RATE = 500

/** Seconds of a turn, and seconds of its warm-up. */
const SECONDS = 5
const WARM_UP = 2

/** Seconds after which an inbox has refreshed all of its figures once since it was opened. */
const SETTLE_SECONDS = 15

/**
 * Measures the time until an envelope is stored while the retention deletes rows continuously, relative to the time
 * while the retention has nothing to delete.
 */
export async function measureInboxRetention({ options, bothCores, say }: Bench): Promise<Measurement[]> {
  say('inbox retention: filling two stores with old data, about a minute')
  fillBoth()
  const start = () =>
    startNode({ args: [join(PROJECT, 'bench/intake.ts')], cwd: PROJECT, env: {} }, { core: bothCores, ipc: true })
  const [deleting, idle] = [start(), start()]
  const envelopes = readMix('https://key@inbox.invalid/1')
  const turn = { envelopes, rate: RATE, warmUp: WARM_UP, seconds: SECONDS }
  await run(idle, { ...turn, ...SIDES.idle, rate: 1, seconds: SETTLE_SECONDS })
  const samples: number[] = []
  for (let round = 1; round <= options.rounds; round++) {
    const without = await run(idle, { ...turn, ...SIDES.idle })
    const beside = await run(deleting, { ...turn, ...SIDES.deleting })
    if (beside.left === 0)
      throw new Error(
        'The retention deleted everything before the end of a turn, so it did not delete during the whole turn'
      )
    say(
      `inbox retention, round ${round} of ${options.rounds}: ${beside.p99.toFixed(1)} ms ` +
        `while ${Math.round(beside.removed)} rows per second are deleted, ${without.p99.toFixed(1)} ms without`
    )
    samples.push(beside.p99 / without.p99)
  }
  await Promise.all([deleting, idle].map(stopProcess))
  removeBoth()
  const label = `inbox, p99 until stored at ${RATE} envelopes/s: while retention deletes, relative to without`
  return [{ id: 'inbox retention', label, unit: 'times', samples: { hull: samples } }]
}

async function run(child: ChildProcess, turn: IntakeTurn): Promise<IntakeResult> {
  child.send(turn)
  const [result] = (await once(child, 'message')) as [IntakeResult]
  return result
}

function fillBoth(): void {
  removeBoth()
  const { deleting, idle } = SIDES
  const store = openSeedStore(deleting.file)
  seedInbox(store, { ...OLD, now: Date.now() - 31 * DAY })
  store.close()
  copyFileSync(deleting.file, idle.file)
}

function removeBoth(): void {
  for (const { file } of Object.values(SIDES))
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true })
}
