import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from './contenders/contender.ts'

const FIXTURES = join(PROJECT, 'packages/monitoring/test/fixtures/envelopes')

/**
 * Files of twenty envelopes, and how often each occurs: mostly errors and transactions of browsers; a third comes from
 * the server.
 */
const MIX = {
  'sdk11.12-browser-stream-07-event.envelope': 6,
  'sdk11.12-node-stream-10-event.envelope': 4,
  'sdk11.12-browser-static-09-transaction.envelope': 4,
  'sdk11.12-node-static-01-transaction.envelope': 3,
  'sdk11.12-browser-stream-01-session.envelope': 3
}

/** Reads the twenty envelopes, with placeholders that `fill` replaces with new ids. */
export function readMix(dsn: string): string[] {
  return Object.entries(MIX).flatMap(([name, count]) =>
    Array.from({ length: count }, () => toBody(readFileSync(join(FIXTURES, name), 'utf8'), dsn))
  )
}

/** Addresses an envelope to a project, and replaces its ids with placeholders for `fill`. */
export function toBody(envelope: string, dsn: string): string {
  const [first, ...rest] = envelope.split('\n')
  const header = { ...(JSON.parse(first!) as object), dsn }
  return [JSON.stringify(header), ...rest]
    .join('\n')
    .replaceAll(/"(event_id|sid)":"[0-9a-f-]{32,36}"/g, '"$1":"@id@"')
    .replaceAll(/"trace_id":"[0-9a-f]{32}"/g, '"trace_id":"@trace@"')
}
