import { DAY, HOUR } from '@hull/common/time.ts'
import { createMessage } from '../alerts/message.ts'
import type { AlertKind } from '../alerts/types.ts'
import type { Store } from '../store/store.ts'

/** Adds a channel with rules, thresholds and a few messages. Its address does not exist (RFC 6761 §6.4). */
export function addAlerts(store: Store, now: number): void {
  const channel = store.insert(
    `INSERT INTO alert_channel (kind, name, target, secret, group_window, quiet_from, quiet_until, zone, created)
     VALUES ('webhook', 'Shop on call', 'https://alerts.invalid/hook', 'whsec_c2FtcGxl', 300000, 1320, 420, 'UTC', ?)`,
    now - 13 * DAY
  )
  for (const kind of ['new', 'regressed', 'reopened'])
    store.write('INSERT INTO alert_rule (project, channel, kind, created) VALUES (1, ?, ?, ?)', channel, kind, now)
  for (const [kind, vital, bound, minimum] of [
    ['spike', null, 5, 50],
    ['crash-free', null, 99.5, 20],
    ['vital', 'LCP', 2_500, 20]
  ] as const)
    store.write(
      `INSERT INTO alert_threshold (project, channel, kind, vital, bound, minimum, tells_end, enabled, created)
       VALUES (1, ?, ?, ?, ?, ?, 1, 1, ?)`,
      channel,
      kind,
      vital,
      bound,
      minimum,
      now
    )
  const issues = store.all<{ id: number }>('SELECT id FROM issue WHERE project = 1 ORDER BY id LIMIT 6')
  const add = (kind: AlertKind, ids: number[], age: number, error: string | null) => {
    const at = now - age
    const items = ids.map((issue) => ({ kind, at, issue }))
    const draft = { channel, project: 1, opened: at, counts: { [kind]: ids.length }, items }
    const message = createMessage(store, draft, at, undefined)!
    store.write(
      `INSERT INTO alert_message (id, channel, project, body, state, created, attempts, due, finished, error)
       VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?)`,
      message.id,
      channel,
      JSON.stringify(message),
      error === null ? 'sent' : 'dead',
      at,
      error === null ? 1 : 33,
      at,
      at,
      error
    )
  }
  const [first, second, ...others] = issues.map(({ id }) => id)
  add('new', [first!], 9 * DAY, 'The target answered 502.')
  add('regressed', [second!], 3 * DAY, null)
  add('new', others, 20 * HOUR, null)
}
