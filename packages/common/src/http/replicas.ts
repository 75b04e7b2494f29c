import { attempt } from '../attempt.ts'
import { MAX_MESSAGE_BYTES, type Broadcast } from '../broadcast.ts'

/** Shares a limit between the replicas of an application. */
export interface Replicas {
  /** `app.broadcast`. In an application of one process, nothing is shared. */
  broadcast: Broadcast
  /** Name of the limit: the same in all replicas, and different from the names of other limits. */
  name: string
}

export interface ReplicaChannel {
  /** Whether records reach other replicas now. */
  isConnected: () => boolean
  /** Sends records to the other replicas, in as few messages as possible. Drops them while there is no connection. */
  send: (records: readonly unknown[]) => void
}

/**
 * Joins the channel of a limit, on which replicas report what they counted, as records of JSON. A record may be lost or
 * arrive twice: the limit is then a little less strict, or stricter.
 * @param onRecord called with each record; it ignores those of another version
 */
export function joinReplicas({ broadcast, name }: Replicas, onRecord: (record: unknown[]) => void): ReplicaChannel {
  const { isConnected } = broadcast
  const publish = broadcast.join(`limit:${name}`, {
    onMessage(message) {
      for (const record of readRecords(message)) onRecord(record)
    },
    onGap() {}
  })
  return {
    isConnected,
    send(records) {
      // Without a connection, the broadcast would keep them until the outage ends, when they are too old.
      if (isConnected()) for (const message of toMessages(records)) void publish(message)
    }
  }
}

/** Packs records into messages. The size of a record is that of its JSON inside of the message's JSON, with a comma. */
function* toMessages(records: readonly unknown[]): Generator<string> {
  const BRACKETS = 4
  let texts: string[] = []
  let bytes = BRACKETS
  for (const record of records) {
    const text = JSON.stringify(record)
    // The quotes count as the comma.
    const size = Buffer.byteLength(JSON.stringify(text))
    if (BRACKETS + size > MAX_MESSAGE_BYTES) continue
    if (bytes + size > MAX_MESSAGE_BYTES) {
      yield `[${texts.join(',')}]`
      texts = []
      bytes = BRACKETS
    }
    texts.push(text)
    bytes += size
  }
  if (texts.length > 0) yield `[${texts.join(',')}]`
}

function readRecords(message: string): unknown[][] {
  const records: unknown = attempt(() => JSON.parse(message))
  return Array.isArray(records) ? records.filter((record) => Array.isArray(record)) : []
}
