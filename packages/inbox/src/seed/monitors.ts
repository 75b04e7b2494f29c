import { DAY, HOUR, MINUTE, SECOND } from '@hull/common/time.ts'
import { findNextTime } from '../monitors/schedule.ts'
import type { Store } from '../store/store.ts'
import { insertRow, writeRow } from '../store/rows.ts'
import type { Random } from './random.ts'

interface Job {
  slug: string
  crontab?: string
  every?: number
  unit?: 'minute' | 'hour'
  zone?: string
  /** Milliseconds. */
  step: number
  /** Milliseconds, around which its durations lie. */
  median: number
  runs: number
  /** Status of the runs before the last, by their number from the end. */
  bad?: Record<number, 'error' | 'missed' | 'timeout'>
  isRunning?: boolean
}

const JOBS: Job[] = [
  {
    slug: 'nightly-invoices',
    crontab: '30 2 * * *',
    zone: 'Europe/Berlin',
    step: DAY,
    median: 4 * MINUTE,
    runs: 13,
    bad: { 0: 'error' }
  },
  {
    slug: 'sync-stock',
    every: 10,
    unit: 'minute',
    step: 10 * MINUTE,
    median: 9 * SECOND,
    runs: 80,
    bad: { 7: 'missed', 8: 'missed', 31: 'timeout' },
    isRunning: true
  },
  {
    slug: 'send-reminders',
    crontab: '0 * * * *',
    step: HOUR,
    median: 800,
    runs: 70,
    bad: { 0: 'missed', 1: 'missed' }
  },
  { slug: 'rebuild-search', crontab: '@daily', step: DAY, median: 55 * SECOND, runs: 12 },
  { slug: 'prune-carts', step: 6 * HOUR, median: 2 * SECOND, runs: 24 }
]

/** Adds jobs that check in: good ones, failed ones, one that stopped, and one without a schedule. */
export function addMonitors(store: Store, random: Random, now: number): void {
  for (const job of JOBS) addJob(store, random, job, now)
}

function addJob(store: Store, random: Random, job: Job, now: number): void {
  const { slug, crontab = null, every = null, unit = null, zone = 'UTC', step, median, runs, bad = {} } = job
  const last = now - Math.round(step * 0.4)
  const schedule = { crontab, every, unit, zone }
  const next = findNextTime(schedule, now)
  const status = job.isRunning ? 'ok' : (bad[0] ?? 'ok')
  const monitor = insertRow(store, 'monitor', {
    project: 1,
    slug,
    environment: 'production',
    ...schedule,
    margin: 5 * MINUTE,
    max_runtime: 30 * MINUTE,
    status,
    last_received: status === 'missed' ? last - 2 * step : last,
    next,
    due: next === undefined ? undefined : next + 5 * MINUTE
  })
  for (let run = runs; run >= 0; run--) {
    const at = last - run * step
    const result = bad[run] ?? 'ok'
    const isRunning = run === 0 && job.isRunning === true
    const duration = random.skewed(median, 0.3)
    if (result === 'missed' && bad[run - 1] === 'missed') continue
    writeRow(store, 'check_in', {
      project: 1,
      check_in_id: random.hex(32),
      monitor: slug,
      monitor_id: monitor,
      status: isRunning ? 'in_progress' : result,
      duration: result === 'missed' || isRunning ? undefined : duration / 1_000,
      environment: 'production',
      received: result === 'missed' ? at - step : at,
      finished: isRunning ? undefined : Math.round(at + (result === 'missed' ? 0 : duration)),
      expires: at + 30 * MINUTE,
      missed: result === 'missed' ? 2 : undefined
    })
  }
}
