import { checkThreshold } from '../alerts/threshold-input.ts'
import { THRESHOLD_KINDS, type ThresholdSubject } from '../alerts/types.ts'
import { InboxThresholdInvalid, InboxThresholdNotFound } from '../errors.ts'
import { toPlain } from '../queries/plain-row.ts'
import { readProjects } from '../store/projects.ts'
import type { Store } from '../store/store.ts'
import { toCondition } from '../web/alert-words.ts'
import { recordAudit } from './audit.ts'
import { insertRow, updateRow } from '../store/rows.ts'
import type { ThresholdInput } from './alert-types.ts'
import type { Author } from './author.ts'

/** They are checked together, between two batches of envelopes. A guess: many teams have fewer. */
const MAX_THRESHOLDS = 200

/** @returns the threshold's id. @throws InboxThresholdInvalid */
export function createThreshold(
  store: Store,
  input: ThresholdSubject & ThresholdInput & Author & { project: number }
): number {
  const { project, channel, kind, issue, vital, environment, bound, minimum, tellsEnd, by } = input
  if (!THRESHOLD_KINDS.includes(kind)) throw new InboxThresholdInvalid('choose a kind')
  const subject: ThresholdSubject = {
    kind,
    ...(kind === 'spike' && issue !== undefined && { issue }),
    ...(kind === 'vital' && vital && { vital }),
    ...(environment !== undefined && { environment }),
    bound,
    minimum
  }
  checkInput(store, subject, channel)
  const found = readProjects(store).find(({ id }) => id === project)
  if (!found) throw new InboxThresholdInvalid('choose a project')
  if (subject.issue !== undefined && !hasIssue(store, project, subject.issue))
    throw new InboxThresholdInvalid(`issue #${subject.issue} is not in this project`)
  const { count } = store.get<{ count: number }>(
    'SELECT count(*) AS count FROM alert_threshold JOIN project ON project.id = project AND removed IS NULL'
  )!
  if (count >= MAX_THRESHOLDS) throw new InboxThresholdInvalid(`there are at most ${MAX_THRESHOLDS}; remove one first`)
  recordAudit(store, 'threshold-created', { who: by, detail: `${toCondition(subject)} · ${found.name}` })
  const row = { project, channel, ...subject, tells_end: Number(tellsEnd), enabled: 1, created: Date.now() }
  return insertRow(store, 'alert_threshold', row)
}

/** @throws InboxThresholdInvalid @throws InboxThresholdNotFound */
export function changeThreshold(store: Store, input: ThresholdInput & Author & { id: number }): void {
  const { id, channel, bound, minimum, tellsEnd, by } = input
  const { project, ...subject } = getThreshold(store, id)
  const changed = { ...subject, bound, minimum }
  checkInput(store, changed, channel)
  updateRow(store, 'alert_threshold', id, { channel, bound, minimum, tells_end: Number(tellsEnd) })
  recordAudit(store, 'threshold-changed', { who: by, detail: `${toCondition(changed)} · ${project}` })
}

/** Switches a threshold on or off. It does not fire while it is off. @throws InboxThresholdNotFound */
export function enableThreshold(
  store: Store,
  { id, isEnabled, by }: Author & { id: number; isEnabled: boolean }
): void {
  const { project, ...subject } = getThreshold(store, id)
  updateRow(store, 'alert_threshold', id, { enabled: Number(isEnabled), firing_since: null, calm_since: null })
  const kind = isEnabled ? 'threshold-enabled' : 'threshold-disabled'
  recordAudit(store, kind, { who: by, detail: `${toCondition(subject)} · ${project}` })
}

/** @throws InboxThresholdNotFound */
export function removeThreshold(store: Store, { id, by }: Author & { id: number }): void {
  const { project, ...subject } = getThreshold(store, id)
  store.write('DELETE FROM alert_threshold WHERE id = ?', id)
  recordAudit(store, 'threshold-removed', { who: by, detail: `${toCondition(subject)} · ${project}` })
}

function checkInput(store: Store, subject: ThresholdSubject, channel: number): void {
  const [error] = Object.values(checkThreshold(subject) ?? {})
  if (error !== undefined) throw new InboxThresholdInvalid(error.replace(/\.$/, ''))
  if (!store.get('SELECT 1 FROM alert_channel WHERE id = ? AND person IS NULL', channel))
    throw new InboxThresholdInvalid('choose a channel')
}

const hasIssue = (store: Store, project: number, issue: number): boolean =>
  store.get('SELECT 1 FROM issue WHERE id = ? AND project = ?', issue, project) !== undefined

/** @throws InboxThresholdNotFound */
function getThreshold(store: Store, id: number): ThresholdSubject & { project: string } {
  const row = store.get(
    `SELECT project.name AS project, kind, issue, vital, environment, bound, minimum FROM alert_threshold
     JOIN project ON project.id = project WHERE alert_threshold.id = ?`,
    id
  )
  if (!row) throw new InboxThresholdNotFound()
  return toPlain<ThresholdSubject & { project: string }>(row)
}
