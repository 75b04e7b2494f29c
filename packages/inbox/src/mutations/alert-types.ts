import type { AttemptResult } from '../alerts/deliveries.ts'
import type { ChannelKind, DueMessage, RuleKind, ThresholdSubject } from '../alerts/types.ts'
import type { Author, Who } from './author.ts'

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
}

/** Values of a threshold that an admin can change. */
export interface ThresholdInput extends Pick<ThresholdSubject, 'bound' | 'minimum'> {
  channel: number
  /** Whether a message follows when the figure is back. */
  tellsEnd: boolean
}

/** Changes of channels, rules and thresholds of alerts, and of the messages to send. */
export interface AlertChanges {
  /** @returns the channel's id. @throws InboxChannelInvalid */
  createChannel: (input: ChannelInput & Author & { kind: ChannelKind }) => number
  /**
   * Messages that failed are soon sent to an address that is changed.
   * @param now milliseconds since the epoch, by the clock of the alerts
   * @throws InboxChannelInvalid @throws InboxChannelNotFound
   */
  changeChannel: (input: ChannelInput & Author & { id: number; now: number }) => void
  /** Creates a new secret; messages are no longer signed with the old one. @throws InboxChannelNotFound */
  renewChannelSecret: (input: Author & { id: number }) => void
  /** Removes a channel with its rules, thresholds and waiting messages. @throws InboxChannelNotFound */
  removeChannel: (input: Author & { id: number }) => void
  /**
   * Puts a test message into the delivery log, to be sent at once.
   * @param now milliseconds since the epoch, for delays and limits
   * @param wall the same by the machine's clock, in the message. @default now
   * @throws InboxChannelNotFound
   */
  testChannel: (input: { id: number; now: number; wall?: number; baseUrl?: string }) => void
  /** Ends the mails of a channel, by the token of its link. Ignores a wrong token. */
  unsubscribe: (input: { id: number; token: string; now: number }) => void
  /** Sends to a channel again that a reader has unsubscribed from. @throws InboxChannelNotFound */
  resumeChannel: (input: Author & { id: number }) => void
  /**
   * Sets where a person receives mails about followed issues, and ends an earlier unsubscription. A code is sent to a
   * new address, which receives nothing else until {@link confirmOwnMail}.
   * @param address empty for no mails
   * @param now milliseconds since the epoch, for delays and limits
   * @param wall the same by the machine's clock, in the message. @default now
   * @throws InboxMailInvalid
   */
  setOwnMail: (input: { person: Who; address: string; now: number; wall?: number; baseUrl?: string }) => void
  /** Confirms a person's address with the code that was sent to it. @throws InboxMailCodeWrong */
  confirmOwnMail: (input: { person: Who; code: string }) => void
  /** A rule for the same change, project and channel gets the new environments. @throws InboxRuleInvalid */
  createRule: (input: RuleInput & Author) => void
  removeRule: (input: Author & { id: number }) => void
  /** @returns the threshold's id. @throws InboxThresholdInvalid */
  createThreshold: (input: ThresholdSubject & ThresholdInput & Author & { project: number }) => number
  /** @throws InboxThresholdInvalid @throws InboxThresholdNotFound */
  changeThreshold: (input: ThresholdInput & Author & { id: number }) => void
  /** Switches a threshold on or off. It does not fire while it is off. @throws InboxThresholdNotFound */
  enableThreshold: (input: Author & { id: number; isEnabled: boolean }) => void
  /** @throws InboxThresholdNotFound */
  removeThreshold: (input: Author & { id: number }) => void
  /**
   * Gathers recorded changes into messages, and claims those that are due: no other process sends them for a minute.
   * @param now milliseconds since the epoch, for delays and limits
   * @param wall the same by the machine's clock, for figures and in messages
   * @param checksThresholds whether to compare thresholds with their figures
   * @param baseUrl origin of links
   */
  prepareAlerts: (input: { now: number; wall: number; checksThresholds?: boolean; baseUrl?: string }) => DueMessage[]
  /** Records the result of an attempt. */
  recordAlert: (input: AttemptResult) => void
  /** Sends a dead message again. @throws InboxDeliveryNotFound */
  retryAlert: (input: { id: string; now: number }) => void
}
