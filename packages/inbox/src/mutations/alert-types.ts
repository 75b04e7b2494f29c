import type { RuleKind, ThresholdSubject } from '../alerts/types.ts'
import type { Level } from '../store/model.ts'

/** Values of a channel that an admin sets. */
export interface ChannelInput {
  name: string
  /** URL of a webhook, or a mail address. */
  target: string
  /** Minutes after a message for which further changes are gathered into the next one. */
  groupMinutes: number
  /** Begin and end of the quiet hours, such as `22:00`; both empty for none. */
  quietFrom: string
  quietUntil: string
  /** IANA time zone of the quiet hours. */
  zone: string
}

export interface RuleInput {
  project: number
  kind: RuleKind
  channel: number
  /** Names of the environments whose changes are sent. @default all */
  environments: string[]
  /** Lowest level of issues whose changes are sent. Has no effect on monitors and feedback. */
  level: Level
}

/** Values of a threshold that an admin can change. */
export interface ThresholdInput extends Pick<ThresholdSubject, 'bound' | 'minimum'> {
  channel: number
  /** Whether a message follows when the figure is back. */
  tellsEnd: boolean
}
