import { DAY } from '@hull/common/time.ts'
import type { StoreHealth } from '../queries/overview/health-types.ts'
import { FAILURE_PERIOD, type StoreFailure } from '../store/inbox.ts'
import { formatBytes } from '@hull/common/format-bytes.ts'
import { jumpOf } from './check-clocks.ts'
import { LONG_WAIT, type Examination, type Outcome } from './finding.ts'

/** Shares of INBOX_MAX_BYTES above which the doctor warns and reports a failure. Our choice. */
const NEARLY_FULL = 0.8
const FULL = 0.97

/** Returns the failure for which the store refuses envelopes, or refused some in the last minutes. */
function findFailure({ now, inbox: { failure, spooled }, isShared }: Examination): StoreFailure | undefined {
  // The clock may have been set back since. Envelopes that a database refused wait until they are stored.
  const isRecent = failure && Math.abs(now - failure.at) < FAILURE_PERIOD
  return isRecent && (spooled.envelopes > 0 || !isShared) ? failure : undefined
}

export function checkStore(examination: Examination): Outcome {
  const { inbox, health, isShared, isAlone } = examination
  const { envelopes } = inbox.spooled
  const waiting = `${envelopes === 1 ? '1 envelope waits' : `${envelopes.toLocaleString('en')} envelopes wait`} in the spool of this replica`
  if (!inbox.available && isShared)
    return {
      check: 'The database cannot be reached',
      verdict: 'bad',
      says: `Pages are served as before. ${waiting}, and will be stored when the database answers.`,
      todo: 'The log has the reason: the database is down, or DATABASE_URL, its user or its password are wrong.'
    }
  if (!inbox.available)
    return {
      check: 'The inbox cannot store events',
      verdict: 'bad',
      says: 'The database file cannot be written, or the thread that writes it does not answer. Envelopes that no provider receives too are answered with 503: their senders drop them or try again.',
      todo: 'The log has the reason, usually a full disk or a folder without write permission.'
    }
  const failure = findFailure(examination)
  if (failure)
    return {
      check: 'The inbox does not store events',
      verdict: 'bad',
      says: isShared
        ? `The database refused some: ${failure.reason}. Pages are served as before. ${waiting}, and will be stored when the database accepts them.`
        : `The file refused some: ${failure.reason}. Envelopes that no provider receives too are answered with 503.`,
      todo: 'Usually the disk is full or read-only.'
    }
  if (!health)
    return {
      check: 'The inbox does not answer queries',
      verdict: 'bad',
      says: 'Events are stored, but a query was not answered.',
      todo: 'Reload this page. If the problem stays, look at the log.'
    }
  if (envelopes > 0)
    return {
      check: 'Events of an outage are being stored',
      verdict: 'look',
      says: `${waiting} since the database could not be reached. They are being stored.`
    }
  if (inbox.lag > LONG_WAIT)
    return {
      check: 'Events are stored late',
      verdict: 'look',
      says: `The last event was stored after ${Math.round(inbox.lag / 1_000)} seconds: more events arrive than can be stored in time.`,
      todo: `Lower ${isAlone ? 'tracesSampleRate in the SDKs of the services' : 'TRACES_SAMPLE_RATE'}, or use a faster disk.`
    }
  return { verdict: 'good', says: 'Events are stored without delay.' }
}

export function checkRetention(examination: Examination, { retention, storage }: StoreHealth): Outcome {
  if (!retention)
    return {
      check: 'Retention has not run yet',
      verdict: 'quiet',
      says: `Data is stored for ${storage.retentionDays} days.`
    }
  if (retention.behind)
    return {
      check: 'Retention is behind',
      verdict: 'look',
      says: 'Old data is deleted more slowly than new data arrives. Retention last ran',
      at: retention.at,
      todo: 'It continues by itself. If it stays behind, raise INBOX_MAX_BYTES or lower INBOX_RETENTION_DAYS.'
    }
  const isOld = retention.at < examination.now - DAY
  if (isOld && jumpOf(examination) > 0)
    return {
      check: 'Retention waits',
      verdict: 'quiet',
      says: 'Nothing expires until the clock has run unchanged for six hours. Retention last ran',
      at: retention.at
    }
  if (isOld)
    return {
      check: 'Retention has stopped',
      verdict: 'bad',
      says: 'Retention should run every hour. It last ran',
      at: retention.at,
      todo: 'The log has the reason.'
    }
  return {
    verdict: 'good',
    says: `Data is stored for ${storage.retentionDays} days. Retention last ran`,
    at: retention.at
  }
}

/** @returns undefined if the bound has room, but the store refused envelopes: the disk may be full */
export function checkDisk(
  examination: Examination,
  { storage: { bytes, maxBytes }, drops }: StoreHealth
): Outcome | undefined {
  const isBounded = maxBytes > 0
  const share = isBounded ? bytes / maxBytes : 0
  const says = isBounded
    ? `${formatBytes(bytes)} of ${formatBytes(maxBytes)} used.`
    : `${formatBytes(bytes)} used in the database.`
  if (drops.some(({ origin, reason }) => origin === 'inbox' && reason === 'full') || share >= FULL)
    return {
      check: share >= FULL ? 'Storage is full' : 'Storage was full in the last day',
      verdict: share >= FULL ? 'bad' : 'look',
      says: `${says} Without room, events are counted but their details are not stored.`,
      todo: isBounded
        ? 'Raise INBOX_MAX_BYTES or lower INBOX_RETENTION_DAYS, and check the free space on the disk.'
        : 'Give the database more space, or lower INBOX_RETENTION_DAYS.'
    }
  if (share >= NEARLY_FULL)
    return {
      check: 'Storage is nearly full',
      verdict: 'look',
      says: `${says} When the storage is full, the oldest data is deleted before its retention period ends.`,
      todo: 'Raise INBOX_MAX_BYTES, or lower INBOX_RETENTION_DAYS.'
    }
  if (findFailure(examination)) return undefined
  return { verdict: 'good', says }
}

export function checkFile({ corrupt }: StoreHealth): Outcome {
  if (!corrupt) return { verdict: 'good', says: 'No damage was found.' }
  return {
    check: 'The database file was damaged',
    verdict: 'look',
    says: 'A damaged file was renamed. Its readable data is in a new file, created',
    at: corrupt.at,
    sample: corrupt.aside,
    todo: 'Projects, people, issues and the newest events were carried over; older events are in the renamed file, or in a backup: see "Backup and restore" in docs/data.md of @hull/inbox. Delete the renamed file when you no longer need it.'
  }
}
