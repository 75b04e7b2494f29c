import type { Test } from 'tap'
import { DAY, HOUR, MINUTE } from '@hull/common/time.ts'
import { listThresholds } from '../../src/alerts/thresholds.ts'
import type { ThresholdSubject } from '../../src/alerts/types.ts'
import { addFigures } from '../../src/store/rollups.ts'
import { NOON, openAlerts } from './alerts.ts'
import { createEnvelope } from './writer.ts'

export const SPIKE = { kind: 'spike', bound: 5, minimum: 50 } as const
export const CRASH_FREE = { kind: 'crash-free', bound: 99, minimum: 100 } as const
export const LCP = { kind: 'vital', vital: 'LCP', bound: 2_500, minimum: 4 } as const

/** Opens an inbox at noon whose project is a year old. Messages of its thresholds are sent immediately. */
export async function openThresholds(t: Test, options: Parameters<typeof openAlerts>[1] = {}) {
  const alerts = await openAlerts(t, options)
  const { store, writer, inbox, now, turn, addChannel, fail } = alerts
  store.run('UPDATE project SET created = ?', NOON - 365 * DAY)
  let ids = 0
  const ingest = (items: [string, unknown][]) => void writer.ingest([createEnvelope(items, { receivedAt: now() })])
  return {
    ...alerts,
    async watch(subject: ThresholdSubject, over: { tellsEnd?: boolean; channel?: number; project?: number } = {}) {
      const channel = over.channel ?? (await addChannel({ groupMinutes: 0 }))
      return inbox.changes.createThreshold({ project: 1, tellsEnd: true, ...subject, ...over, channel })
    },
    /** Adds errors to each hour of the last days. */
    addUsual: (errors: number, days = 8) => {
      for (let hour = NOON / HOUR - 24 * days; hour < NOON / HOUR; hour++)
        addFigures(store, [
          { place: { project: 1, hour, environment: '', release: 0 }, name: 'errors', quantity: errors }
        ])
    },
    addErrors: (count: number, type = 'TypeError') => {
      for (let error = 0; error < count; error++) fail(type)
    },
    addSessions: (exited: number, crashed: number) =>
      ingest([['sessions', { aggregates: [{ started: new Date(now()).toISOString(), exited, crashed }], attrs: {} }]]),
    addVisits: (name: string, value: number, count: number) => {
      for (let visit = 0; visit < count; visit++) {
        const id = (++ids).toString(16)
        const trace = { trace_id: id.padStart(32, '0'), span_id: id.padStart(16, '0'), op: 'pageload' }
        ingest([
          [
            'transaction',
            {
              transaction: '/shop',
              transaction_info: { source: 'route' },
              platform: 'javascript',
              start_timestamp: now() / 1e3 - 0.2,
              timestamp: now() / 1e3 - 0.1,
              contexts: { trace },
              measurements: { [name]: { value } }
            }
          ]
        ])
      }
    },
    /** Runs the loop for some minutes. */
    async run(minutes: number) {
      for (let half = 0; half < 2 * minutes; half++) await turn(MINUTE / 2)
    },
    /** Runs the loop often enough for a check and its message. */
    async check() {
      for (let second = 0; second < 4; second++) await turn()
    },
    read: () => listThresholds(store, { now: now() })
  }
}
