import { checkClock, checkReplicaClock } from './check-clocks.ts'
import { checkAlerts, checkSpool } from './check-delivery.ts'
import { checkDrops, listTypes } from './check-items.ts'
import { checkRefusals } from './check-refusals.ts'
import { checkReplicas } from './check-replicas.ts'
import { checkBrowser, checkMaps, checkServer, checkServices } from './check-sources.ts'
import { checkDisk, checkFile, checkRetention, checkStore } from './check-store.ts'
import type { Examination, Finding, Outcome } from './finding.ts'

/** Checks every step from an error in a browser to an issue with source code, and says how to fix what fails. */
export function diagnose(examination: Examination): Finding[] {
  const { health, tunnel, isShared, isAlone } = examination
  const checks: [id: string, title: string, outcome: Outcome | false | undefined][] = [
    ['store', 'The inbox stores events', checkStore(examination)],
    ['spool', 'The spool delivers', tunnel && checkSpool(tunnel)],
    ['clock', "The machine's clock was changed", checkClock(examination)],
    ['replica-clock', "The clock of this replica differs from the database's", health && checkReplicaClock(health)],
    ['services', 'Services report events', health && isAlone && checkServices(examination, health)],
    ['browser', 'Browsers reach the tunnel', health && !isAlone && checkBrowser(examination, health)],
    ['server', 'The server reports events', health && !isAlone && checkServer(examination, health)],
    ['maps', 'Source maps resolve', health && checkMaps(examination, health)],
    ['refusals', 'Envelopes of services were refused', checkRefusals(examination)],
    ['drops', 'No data is lost', checkDrops(examination)],
    ['types', 'Every type of item is accounted for', health && listTypes(health)],
    ['retention', 'Retention is up to date', health && checkRetention(examination, health)],
    ['disk', 'Storage has room', health && checkDisk(examination, health)],
    ['file', 'The database file is intact', health && !isShared && checkFile(health)],
    ['alerts', 'Alerts are delivered', health && checkAlerts(health)],
    ['replicas', 'Replicas', checkReplicas(examination)]
  ]
  return checks.flatMap(([id, check, outcome]) => (outcome ? [{ id, check, ...outcome }] : []))
}
