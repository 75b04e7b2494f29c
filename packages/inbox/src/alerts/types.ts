import { ISSUE_LEVELS, type Level, type Vital } from '../store/model.ts'

/** Changes of a monitor's state. */
export const MONITOR_KINDS = ['monitor-failed', 'monitor-recovered'] as const

/** Changes of an issue's state. */
export const ISSUE_KINDS = ['new', 'regressed', 'reopened'] as const

/** Conditions of rules: changes of an issue's or a monitor's state, and feedback of a visitor. */
export const RULE_KINDS = [...ISSUE_KINDS, ...MONITOR_KINDS, 'feedback'] as const
export type RuleKind = (typeof RULE_KINDS)[number]

/** Whether a condition is about issues, which have a level. */
export const isOfIssue = (kind: RuleKind): boolean => (ISSUE_KINDS as readonly RuleKind[]).includes(kind)

/** The level of rules without one, which alert of everything. */
export const [LOWEST_LEVEL] = ISSUE_LEVELS

/** Kinds of thresholds, with the change when one is passed, and the change when its figure is back. */
export const THRESHOLD_CHANGES = {
  spike: ['spike', 'spike-ended'],
  'crash-free': ['crash-free-low', 'crash-free-recovered'],
  vital: ['vital-poor', 'vital-recovered']
} as const
export type ThresholdKind = keyof typeof THRESHOLD_CHANGES
export const THRESHOLD_KINDS = Object.keys(THRESHOLD_CHANGES) as ThresholdKind[]
export type ThresholdChange = (typeof THRESHOLD_CHANGES)[ThresholdKind][number]

/** Changes by people. Only the followers of an issue are notified of them. */
export const NEWS_KINDS = ['mentioned', 'commented', 'assigned', 'resolved', 'ignored', 'unresolved'] as const
export type NewsKind = (typeof NEWS_KINDS)[number]

/** Changes that messages describe. */
export const ALERT_KINDS = [...RULE_KINDS, ...Object.values(THRESHOLD_CHANGES).flat(), ...NEWS_KINDS] as const
export type AlertKind = RuleKind | ThresholdChange | NewsKind

export const CHANNEL_KINDS = ['webhook', 'slack', 'discord', 'teams', 'mail'] as const
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
  /** Person whose own channel it is. @default the team's */
  person?: number
  /** Code that the person has to enter before anything but the code is sent. @default the address is confirmed */
  code?: string
  /** Milliseconds since the epoch when a reader unsubscribed. Nothing but tests is sent then. */
  paused?: number
}

/** A rule: when something happens in a project, its channel receives a message. */
export interface AlertRule {
  id: number
  project: number
  projectName: string
  kind: RuleKind
  /** Names of the environments whose changes are sent. @default all */
  environments: string[]
  /** Lowest level of issues whose changes are sent. */
  level: Level
  channel: number
  channelName: string
}

/** The figure that a threshold watches, and the number that it must not pass. */
export interface ThresholdSubject {
  kind: ThresholdKind
  /** Issue of a spike. @default all errors of the project */
  issue?: number
  /** Vital of a threshold for a vital. */
  vital?: Vital
  /** Environment of the figure. A spike of an issue has none. @default all */
  environment?: string
  /** Spike: times the usual rate. Crash-free: percent of the sessions. Vital: milliseconds, CLS without a unit. */
  bound: number
  /** Events, sessions or samples below which nothing is decided; for a spike, it does not fire. */
  minimum: number
}

/**
 * A threshold: while a figure of a project is past its bound, it fires. Its channel receives one message when it
 * begins.
 */
export interface AlertThreshold extends ThresholdSubject {
  id: number
  project: number
  projectName: string
  channel: number
  channelName: string
  /** Title of the issue; undefined if the issue was deleted or merged. */
  issueTitle?: string
  /** Whether a message follows when the figure is back. */
  tellsEnd: boolean
  isEnabled: boolean
  /** Milliseconds since the epoch. */
  firingSince?: number
  /** It fires, and its figure is within the bound since then: milliseconds since the epoch. */
  calmSince?: number
}

/** The present figure of a threshold. */
export interface ThresholdReading {
  /** Spike: events in the last hour. Crash-free: percent of the sessions. Vital: milliseconds, CLS without a unit. */
  value: number
  /** Number of events, sessions or samples. */
  samples: number
  /** Spike: the median number of events of an hour in the last seven days. */
  usual?: number
  /** Start of the time that it covers, milliseconds since the epoch. */
  since: number
}

/** One change in a message. */
export interface AlertChange {
  kind: AlertKind | 'test' | 'code'
  /** ISO 8601, UTC. */
  at: string
  /** The change in a sentence. */
  text: string
  issue?: { id: number; title: string; culprit: string; url?: string }
  /** Environment of the event, if the rule names some. */
  environment?: string
  /** Id of a comment, in a stored message. Its text is added when the message is sent: it may change until then. */
  commentId?: number
  /** Text of a comment, in a message to send. */
  comment?: string
  monitor?: { id: number; name: string; environment: string; url?: string }
  feedback?: { id: number; message: string; name?: string; email?: string; url?: string }
  threshold?: ThresholdSubject & Omit<ThresholdReading, 'since'> & { id: number; url?: string }
}

/** A message, as webhooks receive it. A retry sends the same text. */
export interface AlertMessage {
  /** Identifies the message. A receiver ignores an id that it has seen. */
  id: string
  /** `code`: only to a person's own mail address. */
  type: 'alert' | 'test' | 'code'
  /** ISO 8601, UTC. */
  timestamp: string
  project: { id: number; name: string }
  title: string
  /** Number of changes. */
  total: number
  counts: Partial<Record<AlertKind, number>>
  /** The first changes, at most {@link MAX_ITEMS}. */
  changes: AlertChange[]
  /** List of the project's issues, or of its monitors if only these changed. Undefined if BASE_URL is not set. */
  url?: string
}

/** Maximum changes that a message describes; it counts the others. */
export const MAX_ITEMS = 10

/** A message that is due, with the channel that receives it. */
export interface DueMessage {
  message: AlertMessage
  channel: AlertChannel
}

/** Where a person receives mails about followed issues. */
export interface OwnMail {
  address: string
  /** Whether the person entered the code that was sent to it. */
  isConfirmed: boolean
  /** A link in a mail ended the mails. */
  isPaused: boolean
  /** Why the last attempt to send failed. */
  error?: string
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
