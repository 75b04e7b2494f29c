import { HOUR } from '@hull/common/time.ts'
import { askSetting } from '../../store/stored-settings.ts'
import { askItemTypes } from '../../store/item-types.ts'
import type { Store } from '../../store/store.ts'
import { askFrameFigures, askMaps } from '../../symbolication/figures.ts'
import { toPlain } from '../plain-row.ts'
import { projectsOf } from '../scope.ts'
import { isAmong, toList } from '../sql.ts'
import { askStorage } from './storage.ts'
import type { DropRow, StoreHealth } from './health-types.ts'

/** Hours of data that the doctor checks. */
const HOURS = 24

/** Maximum number of drop reasons to show, most frequent first. */
const MAX_DROPS = 50

/** State of the store, for the doctor. */
export function getHealth(store: Store, { project }: { project?: number }): StoreHealth {
  const sinceHour = Math.floor(Date.now() / HOUR) - HOURS
  const lastRetention = askSetting(store, 'retention')
  const lastCorrupt = askSetting(store, 'corrupt')
  const lastReceived = askSetting(store, 'last_received')
  const storage = askStorage(store)
  const maps = askMaps(store)
  const types = askItemTypes(store)
  const unresolved = askFrameFigures(store, { ...(project !== undefined && { project }), sinceHour })
  const deadAlerts = askDeadAlerts(store, sinceHour)
  const drops = askDrops(store, projectsOf(store, project), sinceHour)
  const retention = lastRetention()
  const corrupt = lastCorrupt()
  return {
    storage: storage(),
    lastReceived: lastReceived() ?? {},
    drops: drops(),
    types: types(),
    maps: maps(),
    unresolved: unresolved(),
    deadAlerts: deadAlerts(),
    clockAhead: Date.now() - store.readClock(),
    ...(retention && { retention }),
    ...(corrupt && { corrupt })
  }
}

function askDeadAlerts(store: Store, sinceHour: number): () => StoreHealth['deadAlerts'] {
  // Mails to people's own addresses are their own matter: they see the error.
  const isDead = `state = 'dead' AND finished >= ?1
    AND channel NOT IN (SELECT id FROM alert_channel WHERE person IS NOT NULL)`
  const rows = store.ask(
    `SELECT count(*) AS messages,
       (SELECT error FROM alert_message WHERE ${isDead} ORDER BY finished DESC LIMIT 1) AS error
     FROM alert_message WHERE ${isDead}`,
    sinceHour * HOUR
  )
  return () => toPlain<StoreHealth['deadAlerts']>(rows()[0]!)
}

function askDrops(store: Store, projects: readonly number[], sinceHour: number): () => DropRow[] {
  const rows = store.ask<DropRow & object>(
    `SELECT origin, reason, category, sum(quantity) AS quantity FROM drop_hour
     WHERE hour >= ? AND ${isAmong('project')}
     GROUP BY origin, reason, category ORDER BY sum(quantity) DESC LIMIT ?`,
    sinceHour,
    toList(projects),
    MAX_DROPS
  )
  return () => rows().map((row) => ({ ...row }))
}
