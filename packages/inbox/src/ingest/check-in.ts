import type { IngestContext, Item } from './context.ts'
import { environmentOf } from './environment.ts'
import { idOf, numberOf, parseFields, textOf } from './fields.ts'

const STATUSES = new Set(['in_progress', 'ok', 'error', 'missed', 'timeout'])

/** A job that says it has begun, and later how it ended: one row for both. */
export function storeCheckIn({ payload }: Item, context: IngestContext): void {
  const raw = parseFields(payload)
  const id = idOf(raw['check_in_id'], 32)
  const monitor = textOf(raw['monitor_slug'], 100)
  const status = raw['status']
  if (id === undefined || monitor === undefined || typeof status !== 'string' || !STATUSES.has(status))
    throw new TypeError('a check-in has an id, a monitor and a status')
  const duration = numberOf(raw['duration'])
  context.store.run(
    `INSERT INTO check_in (project, check_in_id, monitor, status, duration, environment, received)
      VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET duration = coalesce(excluded.duration, duration),
      status = CASE WHEN excluded.status = 'in_progress' THEN status ELSE excluded.status END`,
    context.project,
    id,
    monitor,
    status,
    duration !== undefined && duration >= 0 ? duration : null,
    environmentOf(raw['environment'], context),
    context.receivedAt
  )
}
