import type { TunnelStats } from '../tunnel/tunnel.ts'
import { DAY } from './buckets.ts'
import { explainDrop } from './drop-reasons.ts'
import type { InboxStats } from './inbox.ts'
import type { StoreHealth } from './queries/types.ts'

/** What the doctor looks at. */
export interface Examination {
  /** Milliseconds since the epoch. */
  now: number
  /** Undefined where the store did not answer. */
  health?: StoreHealth
  inbox: InboxStats
  /** Undefined where no envelope is taken. */
  tunnel?: Pick<TunnelStats, 'available' | 'bytes' | 'envelopes' | 'oldestAge' | 'drops' | 'providers'>
}

/**
 * - `good`: as it should be
 * - `look`: works, and something is to be done
 * - `bad`: does not work
 * - `quiet`: nothing to say yet, or nothing to be done
 */
export type Verdict = 'good' | 'look' | 'bad' | 'quiet'

/** One check, in words. */
export interface Finding {
  id: string
  check: string
  verdict: Verdict
  says: string
  /** When what it tells of was. */
  at?: number
  /** What to do. */
  todo?: string
  /** In code, beside what it says: a frame, a path. */
  sample?: string
  /** What was let go, and why. */
  drops?: { what: string; why: string; quantity: number; isHarmless: boolean }[]
}

/** Shares of the bound on bytes from which on it is told, and told loudly. Ours. */
const NEARLY_FULL = 0.8
const FULL = 0.97

/** Share of a day's own frames without a source from which on it is told. Ours: an extension's frames are a few. */
const MANY_UNRESOLVED = 0.1

/** Milliseconds that an envelope may wait or take before the way is said to be blocked. Ours. */
const LONG_WAIT = 60_000

/** Everything that must hold so that an error in a browser becomes an issue with its source, each with what to do. */
export function diagnose(examination: Examination): Finding[] {
  const { health } = examination
  return [
    checkStore(examination),
    checkSpool(examination),
    ...(health ? [checkBrowser(examination, health), checkServer(examination, health), checkMaps(health)] : []),
    checkDrops(examination),
    ...(health ? [checkRetention(examination, health), checkDisk(health), checkFile(health)] : []),
    checkReplicas()
  ]
}

function checkStore({ inbox, health }: Examination): Finding {
  const check = { id: 'store', check: 'The inbox takes what comes' }
  if (!inbox.available)
    return {
      ...check,
      verdict: 'bad',
      says: 'Its file cannot be written at the moment, or its thread does not answer. What comes waits in the spool and is not lost.',
      todo: 'Look at the log for the reason: mostly a full disk, or a folder that may not be written.'
    }
  if (!health)
    return {
      ...check,
      verdict: 'bad',
      says: 'It is stored, but a question about it was not answered.',
      todo: 'Load this page again; if it stays, look at the log.'
    }
  if (inbox.lag > LONG_WAIT)
    return {
      ...check,
      verdict: 'look',
      says: `What came last took ${Math.round(inbox.lag / 1_000)} seconds to be stored: more comes than is stored in time.`,
      todo: 'Lower TRACES_SAMPLE_RATE, or give the process a faster disk.'
    }
  return { ...check, verdict: 'good', says: 'What comes is stored within a moment.' }
}

function checkSpool({ tunnel }: Examination): Finding {
  const check = { id: 'spool', check: 'The tunnel delivers' }
  if (!tunnel) return { ...check, verdict: 'quiet', says: 'No tunnel is open in this process.' }
  if (!tunnel.available)
    return {
      ...check,
      verdict: 'bad',
      says: 'The spool cannot be written: browsers are answered 503 and keep what they have to tell.',
      todo: 'Look at the log for the reason, and at the space left in DATA_DIR.'
    }
  const failing = tunnel.providers.filter(({ breaker }) => breaker !== 'closed')
  if (failing.length > 0)
    return {
      ...check,
      verdict: 'bad',
      says: `${failing.length === 1 ? 'A provider does' : `${failing.length} providers do`} not answer; it is asked again every few seconds, and ${tunnel.envelopes} envelopes wait.`,
      sample: failing.map(({ provider }) => provider).join(', '),
      todo: 'Nothing is lost until SPOOL_MAX_AGE or SPOOL_MAX_BYTES is reached.'
    }
  if (tunnel.oldestAge > LONG_WAIT)
    return {
      ...check,
      verdict: 'look',
      says: `${tunnel.envelopes} envelopes wait, the oldest for ${Math.round(tunnel.oldestAge / 60_000)} minutes.`,
      todo: 'It should shrink by itself; if it does not, look at the log.'
    }
  return { ...check, verdict: 'good', says: 'Nothing waits: what is accepted is delivered at once.' }
}

function checkBrowser({ now }: Examination, { lastReceived: { browser } }: StoreHealth): Finding {
  const check = { id: 'browser', check: 'Browsers reach the tunnel' }
  if (browser === undefined)
    return {
      ...check,
      verdict: 'look',
      says: 'No browser was heard yet.',
      todo: 'Open a page of the application. If nothing comes, something on the way keeps POST /monitoring back: TUNNEL_ALIAS gives it a second path that blockers do not know.'
    }
  if (browser < now - DAY)
    return {
      ...check,
      verdict: 'look',
      says: 'No browser was heard for a day. The last one:',
      at: browser,
      todo: 'Fine where nobody visits. Otherwise open a page, and look for POST /monitoring in the browser’s network panel.'
    }
  return { ...check, verdict: 'good', says: 'The last one was heard', at: browser }
}

function checkServer({ now }: Examination, { lastReceived: { server } }: StoreHealth): Finding {
  const check = { id: 'server', check: 'The server reports' }
  if (server === undefined)
    return {
      ...check,
      verdict: 'quiet',
      says: 'It had nothing to report yet: no error, and no request that was sampled.',
      todo: 'TRACES_SAMPLE_RATE says which share of the requests is traced.'
    }
  return { ...check, verdict: server < now - DAY ? 'quiet' : 'good', says: 'It last reported', at: server }
}

function checkMaps({ maps, unresolved: { frames, of } }: StoreHealth): Finding {
  const check = { id: 'maps', check: 'Source maps resolve' }
  const { sample } = maps
  const shown =
    sample && `${sample.file}:${sample.line}${sample.function === undefined ? '' : ` in ${sample.function}`}`
  if (maps.maps === 0)
    return {
      ...check,
      verdict: 'look',
      says: 'There are no source maps, so frames show the code as it was built.',
      todo: 'npm run build writes them beside the build and the server takes them in when it starts; while developing there are none.'
    }
  const share = of === 0 ? 0 : frames / of
  const has = `${maps.maps} maps of ${maps.releases} ${maps.releases === 1 ? 'release' : 'releases'} are here.`
  if (share > MANY_UNRESOLVED)
    return {
      ...check,
      verdict: 'look',
      says: `${has} Of ${of} own frames of the last day ${frames} had no map.`,
      todo: 'They are of a release whose build is gone, or of scripts that this build did not make.',
      ...(shown === undefined ? {} : { sample: shown })
    }
  return {
    ...check,
    verdict: 'good',
    says: of === 0 ? has : `${has} ${of - frames} of ${of} own frames of the last day were led back to their source.`,
    ...(shown === undefined ? {} : { sample: shown })
  }
}

function checkDrops({ health, tunnel }: Examination): Finding {
  const check = { id: 'drops', check: 'Nothing is lost' }
  const all = [
    ...(health?.drops ?? []),
    ...(tunnel?.drops ?? []).map(({ reason, category, quantity }) => ({ origin: 'tunnel', reason, category, quantity }))
  ]
  const drops = all
    .map(({ origin, reason, category, quantity }) => ({ ...explainDrop(origin, reason, category), quantity }))
    .sort((a, b) => Number(a.isHarmless) - Number(b.isHarmless) || b.quantity - a.quantity)
  const lost = drops.filter(({ isHarmless }) => !isHarmless).reduce((sum, { quantity }) => sum + quantity, 0)
  if (drops.length === 0) return { ...check, verdict: 'good', says: 'Nothing was let go in the last day.' }
  if (lost === 0) return { ...check, verdict: 'good', says: 'What was let go in the last day was meant to be.', drops }
  return {
    ...check,
    verdict: 'look',
    says: `${lost} ${lost === 1 ? 'item was' : 'items were'} let go in the last day that nobody meant to.`,
    drops
  }
}

function checkRetention({ now }: Examination, { retention, storage }: StoreHealth): Finding {
  const check = { id: 'retention', check: 'Retention keeps up' }
  if (!retention)
    return {
      ...check,
      verdict: 'quiet',
      says: `It has not looked yet. Everything is kept for ${storage.retentionDays} days.`
    }
  if (retention.behind)
    return {
      ...check,
      verdict: 'look',
      says: 'More is to be removed than one round took away. It last looked',
      at: retention.at,
      todo: 'It goes on by itself. If it stays behind, more comes than fits: raise INBOX_MAX_BYTES, or lower INBOX_RETENTION_DAYS.'
    }
  if (retention.at < now - DAY)
    return {
      ...check,
      verdict: 'bad',
      says: 'It should look every hour, and last did',
      at: retention.at,
      todo: 'Look at the log for the reason.'
    }
  return {
    ...check,
    verdict: 'good',
    says: `Everything is kept for ${storage.retentionDays} days. It last looked`,
    at: retention.at
  }
}

function checkDisk({ storage: { bytes, maxBytes }, drops }: StoreHealth): Finding {
  const check = { id: 'disk', check: 'There is room' }
  const share = maxBytes === 0 ? 0 : bytes / maxBytes
  const says = `${toSize(bytes)} of ${toSize(maxBytes)} are used.`
  if (drops.some(({ origin, reason }) => origin === 'inbox' && reason === 'full') || share >= FULL)
    return {
      ...check,
      verdict: share >= FULL ? 'bad' : 'look',
      says: `${says} Where there was no room, events were counted and their details not kept.`,
      todo: 'Raise INBOX_MAX_BYTES or lower INBOX_RETENTION_DAYS, and look at the space left on the disk.'
    }
  if (share >= NEARLY_FULL)
    return {
      ...check,
      verdict: 'look',
      says: `${says} When it is full the oldest goes first, before its time.`,
      todo: 'Raise INBOX_MAX_BYTES, or lower INBOX_RETENTION_DAYS.'
    }
  return { ...check, verdict: 'good', says }
}

function checkFile({ corrupt }: StoreHealth): Finding {
  const check = { id: 'file', check: 'The file is whole' }
  if (!corrupt) return { ...check, verdict: 'good', says: 'It was whole at every start.' }
  return {
    ...check,
    verdict: 'look',
    says: 'A damaged file was put aside. What could be read of it is in a new one, begun',
    at: corrupt.at,
    sample: corrupt.aside,
    todo: 'Projects, people, issues and the newest events were carried over; older events are in the file put aside, or in a backup: docs/inbox.md says how to restore one. Delete it when it is of no use.'
  }
}

const checkReplicas = (): Finding => ({
  id: 'replicas',
  check: 'One process writes it',
  verdict: 'quiet',
  says: 'This inbox is a file of this process. Each replica has one of its own, with what was sent to it.',
  todo: 'To see all replicas in one place, name one of them, or another provider, as SENTRY_DSN of the others.'
})

function toSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let size = bytes
  let unit = 0
  for (; size >= 1_000 && unit < units.length - 1; unit++) size /= 1_024
  return `${size >= 10 || unit === 0 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}
