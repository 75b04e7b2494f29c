/** A subscriber of a channel, in this process or in another replica. */
export interface BroadcastMember {
  /** Called with each message of another member. A message may arrive twice. */
  onMessage: (message: string) => void
  /** Called when messages of other replicas may have been missed: after each connection, the first included. */
  onGap: () => void
}

/**
 * Sends a message to all other members of the channel, here and in other replicas. Resolves when it is on its way, or
 * waits for a connection. Never rejects.
 * @throws RangeError if the message takes more than {@link MAX_MESSAGE_BYTES} as JSON
 */
export type Publish = (message: string) => Promise<void>

/** Messages between the replicas of an application. */
export interface Broadcast {
  /** Joins a channel. Call it before the server listens. */
  join: (channel: string, member: BroadcastMember) => Publish
  /** Whether messages reach other replicas now. False in an application of one process, and during an outage. */
  isConnected: () => boolean
}

/** Maximum bytes of a message as JSON. NOTIFY of PostgreSQL takes less than 8,000; some are for channel and sender. */
export const MAX_MESSAGE_BYTES = 7_700
