import { HOUR } from '@hull/common/time.ts'
import { readSetting } from '../store/stored-settings.ts'
import { readItemTypes } from '../store/item-types.ts'
import type { Store } from '../store/store.ts'
import { describeMaps, readFrameFigures } from '../symbolication/figures.ts'
import { projectsOf } from './scope.ts'
import { toList } from './sql.ts'
import { readStorage } from './storage.ts'
import type { DropRow, StoreHealth } from './types.ts'

/** Hours of data that the doctor checks. */
const HOURS = 24

/** Maximum number of drop reasons to show, most frequent first. */
const MAX_DROPS = 50

/** State of the store, for the doctor. */
export function getHealth(store: Store, { project }: { project?: number }): StoreHealth {
  const sinceHour = Math.floor(Date.now() / HOUR) - HOURS
  const retention = readSetting(store, 'retention')
  const corrupt = readSetting(store, 'corrupt')
  return {
    storage: readStorage(store),
    lastReceived: readSetting(store, 'last_received') ?? {},
    drops: readDrops(store, project, sinceHour),
    types: readItemTypes(store),
    maps: describeMaps(store),
    unresolved: readFrameFigures(store, { ...(project !== undefined && { project }), sinceHour }),
    deadAlerts: readDeadAlerts(store, sinceHour),
    clockAhead: Date.now() - store.readClock(),
    ...(retention && { retention }),
    ...(corrupt && { corrupt })
  }
}

function readDeadAlerts(store: Store, sinceHour: number): StoreHealth['deadAlerts'] {
  const { messages, error } = store.get<{ messages: number; error: string | null }>(
    `SELECT count(*) AS messages,
       (SELECT error FROM alert_message WHERE state = 'dead' AND finished >= ?1 ORDER BY finished DESC LIMIT 1) AS error
     FROM alert_message WHERE state = 'dead' AND finished >= ?1`,
    sinceHour * HOUR
  )!
  return { messages, ...(error !== null && { error }) }
}

function readDrops(store: Store, project: number | undefined, sinceHour: number): DropRow[] {
  return store
    .all<DropRow & object>(
      `SELECT origin, reason, category, sum(quantity) AS quantity FROM drop_hour
     WHERE hour >= ? AND project IN (SELECT CAST(value AS BIGINT) FROM json_each(?))
     GROUP BY origin, reason, category ORDER BY sum(quantity) DESC LIMIT ?`,
      sinceHour,
      toList(projectsOf(store, project)),
      MAX_DROPS
    )
    .map((row) => ({ ...row }))
}
