/** Changes of a monitor's state. */
export const MONITOR_KINDS = ['monitor-failed', 'monitor-recovered'] as const

/** Conditions of rules: changes of an issue's or a monitor's state. */
export const ALERT_KINDS = ['new', 'regressed', 'reopened', ...MONITOR_KINDS] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

export const CHANNEL_KINDS = ['webhook', 'slack', 'discord', 'mail'] as const
export type ChannelKind = (typeof CHANNEL_KINDS)[number]

/** A place that alerts are sent to. */
export interface AlertChannel {
  id: number
  kind: ChannelKind
  name: string
  /** URL of a webhook, or a mail address. */
  target: string
  /** Secret that signs the messages of a webhook, and that the link to unsubscribe contains. */
  secret: string
  /** Milliseconds after a message for which further changes are gathered into the next one. */
  groupWindow: number
  /** Minutes of the day between which nothing is sent. @default always sends */
  quiet?: { from: number; until: number }
  /** IANA time zone of `quiet`. */
  zone: string
  created: number
  /** Milliseconds since the epoch when a reader unsubscribed. Nothing but tests is sent then. */
  paused?: number
}

/** A rule: when something happens in a project, its channel receives a message. */
export interface AlertRule {
  id: number
  project: number
  projectName: string
  kind: AlertKind
  channel: number
  channelName: string
}

/** One change in a message. */
export interface AlertChange {
  kind: AlertKind | 'test'
  /** ISO 8601, UTC. */
  at: string
  /** The change in a sentence. */
  text: string
  issue?: { id: number; title: string; culprit: string; url?: string }
  monitor?: { id: number; name: string; environment: string; url?: string }
}

/** A message, as webhooks receive it. A retry sends the same text. */
export interface AlertMessage {
  /** Identifies the message. A receiver ignores an id that it has seen. */
  id: string
  type: 'alert' | 'test'
  /** ISO 8601, UTC. */
  timestamp: string
  project: { id: number; name: string }
  title: string
  /** Number of changes. */
  total: number
  counts: Partial<Record<AlertKind, number>>
  /** The first changes, at most {@link MAX_ITEMS}. */
  changes: AlertChange[]
  /** List of the project's issues. Undefined if BASE_URL is not set. */
  url?: string
}

/** Maximum changes that a message describes; it counts the others. */
export const MAX_ITEMS = 10

/** A message that is due, with the channel that receives it. */
export interface DueMessage {
  message: AlertMessage
  channel: AlertChannel
}

/** A row of the delivery log. */
export interface AlertDelivery {
  id: string
  title: string
  channel: number
  /** Undefined if the channel was removed. */
  channelName?: string
  state: 'waiting' | 'sent' | 'dead'
  created: number
  attempts: number
  /** Milliseconds since the epoch of the next attempt, or of the last one. */
  next?: number
  finished?: number
  /** Why the last attempt failed. */
  error?: string
}
