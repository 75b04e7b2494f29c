import { addAlertFact } from '../../alerts/facts.ts'
import { clockShift } from '../clock.ts'
import type { IngestContext, Item } from '../context.ts'
import { asObject, toId, parseObject, toText, toTime } from '../fields.ts'

/** Maximum characters, as in Sentry's own form. */
const MAX_MESSAGE = 4_096
const MAX_FIELD = 200
const MAX_URL = 2_000

/** Stores a visitor's feedback, which is an event of its own. */
export function storeFeedback({ payload }: Item, context: IngestContext): void {
  const raw = parseObject(payload)
  const feedback = asObject(asObject(raw['contexts'])['feedback'])
  const eventId = toId(raw['event_id'], 32) ?? context.eventId
  const user = asObject(raw['user'])
  insert(
    {
      eventId,
      about: toId(feedback['associated_event_id'], 32),
      at: toTime(raw['timestamp']),
      name: toText(feedback['name'], MAX_FIELD) ?? toText(user['username'], MAX_FIELD) ?? user['name'],
      email: toText(feedback['contact_email'], MAX_FIELD) ?? user['email'],
      message: feedback['message'],
      url: feedback['url'] ?? asObject(raw['request'])['url'],
      environment: raw['environment']
    },
    context
  )
}

/** Stores a visitor's comment on an event, in the older format. */
export function storeUserReport({ payload }: Item, context: IngestContext): void {
  const raw = parseObject(payload)
  const about = toId(raw['event_id'], 32) ?? context.eventId
  insert(
    {
      eventId: about,
      about,
      at: undefined,
      name: raw['name'],
      email: raw['email'],
      message: raw['comments'],
      url: '',
      environment: ''
    },
    context
  )
}

interface FeedbackFields {
  eventId: string | undefined
  about: string | undefined
  at: number | undefined
  name: unknown
  email: unknown
  message: unknown
  url: unknown
  environment: unknown
}

function insert(fields: FeedbackFields, context: IngestContext): void {
  const { eventId, about, at, name, email, message, url } = fields
  const text = toText(message, MAX_MESSAGE)
  if (eventId === undefined || text === undefined) throw new TypeError('feedback has an id and a message')
  const { batch, project, receivedAt } = context
  batch.rows.add({
    into: 'INSERT INTO feedback (project, event_id, about, at, received, name, email, message, url)',
    onConflict: 'ON CONFLICT (project, event_id) DO NOTHING',
    values: [
      project,
      eventId,
      about ?? null,
      Math.round(at === undefined ? receivedAt : at + clockShift(at, context)),
      receivedAt,
      toText(name, MAX_FIELD) ?? null,
      toText(email, MAX_FIELD) ?? null,
      text,
      toText(url, MAX_URL)?.replace(/[?#].*/s, '') ?? null
    ]
  })
  const environment = context.environmentOf(fields.environment)
  batch.later.add(() => alertOf(eventId, environment, context))
}

/** Records feedback for alerts, unless it was stored before. */
function alertOf(eventId: string, environment: string, { store, project, receivedAt }: IngestContext): void {
  const row = store.get<{ id: number }>(
    'SELECT id FROM feedback WHERE project = ? AND event_id = ? AND received = ?',
    project,
    eventId,
    receivedAt
  )
  if (row) addAlertFact(store, { project, kind: 'feedback', subject: row.id, at: receivedAt, environment })
}
