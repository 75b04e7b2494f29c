import { checkClock, checkReplicaClock } from './check-clocks.ts'
import { checkAlerts, checkSpool } from './check-delivery.ts'
import { checkDrops, listTypes } from './check-items.ts'
import { checkRefusals } from './check-refusals.ts'
import { checkReplicas } from './check-replicas.ts'
import { checkBrowser, checkMaps, checkServer, checkServices } from './check-sources.ts'
import { checkDisk, checkFile, checkRetention, checkStore } from './check-store.ts'
import type { Examination, Finding } from './finding.ts'

/** Checks every step from an error in a browser to an issue with source code, and says how to fix what fails. */
export function diagnose(examination: Examination): Finding[] {
  const { health, tunnel, isShared, isAlone } = examination
  const findings = [
    checkStore(examination),
    tunnel && checkSpool(tunnel),
    checkClock(examination),
    health && checkReplicaClock(health),
    health && isAlone && checkServices(examination, health),
    health && !isAlone && checkBrowser(examination, health),
    health && !isAlone && checkServer(examination, health),
    health && checkMaps(examination, health),
    checkRefusals(examination),
    checkDrops(examination),
    health && listTypes(health),
    health && checkRetention(examination, health),
    health && checkDisk(examination, health),
    health && !isShared && checkFile(health),
    health && checkAlerts(health),
    checkReplicas(examination)
  ]
  return findings.filter((finding) => finding !== undefined && finding !== false)
}
