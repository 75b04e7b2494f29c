import { DAY, HOUR, MINUTE } from '@hull/common/time.ts'
import { createMessage } from '../alerts/message.ts'
import type { AlertKind } from '../alerts/types.ts'
import type { Store } from '../store/store.ts'
import { insertRow, writeRow } from '../store/rows.ts'

/** Adds a channel with rules, thresholds and a few messages. Its address does not exist (RFC 6761 §6.4). */
export function addAlerts(store: Store, now: number): void {
  const channel = insertRow(store, 'alert_channel', {
    kind: 'webhook',
    name: 'Shop on call',
    target: 'https://alerts.invalid/hook',
    secret: 'whsec_c2FtcGxl',
    group_window: 5 * MINUTE,
    quiet_from: 22 * 60,
    quiet_until: 7 * 60,
    zone: 'UTC',
    created: now - 13 * DAY
  })
  for (const [kind, level, names] of [
    ['new', 'warning', ['production']],
    ['regressed', 'error', ['production']],
    ['reopened', 'debug', []]
  ] as const) {
    const rule = { project: 1, channel, kind, level, environments: JSON.stringify(names), created: now }
    writeRow(store, 'alert_rule', rule)
  }
  for (const [kind, vital, bound, minimum] of [
    ['spike', null, 5, 50],
    ['crash-free', null, 99.5, 20],
    ['vital', 'LCP', 2_500, 20]
  ] as const) {
    const threshold = { project: 1, channel, kind, vital, bound, minimum, tells_end: 1, enabled: 1, created: now }
    writeRow(store, 'alert_threshold', threshold)
  }
  const issues = store.all<{ id: number }>('SELECT id FROM issue WHERE project = 1 ORDER BY id LIMIT 6')
  const add = (kind: AlertKind, ids: number[], age: number, error: string | null) => {
    const at = now - age
    const items = ids.map((issue) => ({ kind, at, issue }))
    const draft = { channel, project: 1, opened: at, counts: { [kind]: ids.length }, items }
    const message = createMessage(store, draft, at, undefined)!
    const outcome = error === null ? { state: 'sent', attempts: 1 } : { state: 'dead', attempts: 33, error }
    writeRow(store, 'alert_message', {
      id: message.id,
      channel,
      project: 1,
      body: JSON.stringify(message),
      created: at,
      due: at,
      finished: at,
      ...outcome
    })
  }
  const [first, second, ...others] = issues.map(({ id }) => id)
  add('new', [first!], 9 * DAY, 'The target answered 502.')
  add('regressed', [second!], 3 * DAY, null)
  add('new', others, 20 * HOUR, null)
}
