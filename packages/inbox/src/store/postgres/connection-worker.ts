import { workerData } from 'node:worker_threads'
import type pg from 'pg'
import { importOptional } from '@hull/common/import-optional.ts'
import { Batch, type PreparedRequest } from './batch.ts'
import {
  END,
  type ConnectionRequest,
  type ConnectionResponse,
  type ConnectionResult,
  type ConnectionWorkerData
} from './connection.ts'
import { endsConnection } from './postgres-error.ts'

/*
 * The thread that talks to PostgreSQL for one synchronous connection. It answers one request at a time and wakes the
 * thread that waits for the response.
 */

/** Milliseconds until an attempt to connect is given up. */
const CONNECT_TIMEOUT = 5_000

/** Milliseconds of silence after which the operating system asks whether the server is still there. */
const KEEPALIVE_DELAY = 30_000

/** Object identifiers of PostgreSQL's types, from its catalogue `pg_type`. */
const BOOL = 16
const INT8 = 20
const NUMERIC = 1700

const { url, flag, port } = workerData as ConnectionWorkerData
const signal = new Int32Array(flag)
/** Names of the prepared statements. */
const prepared = new Set<string>()

let lost: Error | undefined
const connected = connect()
connected.catch((error: Error) => {
  // Each request reports it.
  lost = error
})

async function connect(): Promise<pg.Client> {
  const { default: pg } = await importOptional(
    () => import('pg'),
    () => new Error('DATABASE_URL needs the package pg: npm install pg')
  )
  pg.types.setTypeParser(BOOL, (text) => (text === 't' ? 1 : 0))
  pg.types.setTypeParser(INT8, Number)
  pg.types.setTypeParser(NUMERIC, Number)
  const client = new pg.Client({
    connectionString: url,
    application_name: 'hull inbox',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY,
    connectionTimeoutMillis: CONNECT_TIMEOUT
  })
  client.on('error', (error) => {
    lost = error
  })
  client.on('end', () => {
    lost ??= new Error('the database ended the connection')
  })
  await client.connect()
  return client
}

port.on('message', (requests: ConnectionRequest[]) => {
  void answer(requests).then((response) => {
    port.postMessage(response)
    Atomics.add(signal, 0, 1)
    Atomics.notify(signal, 0)
  })
})

async function answer(requests: ConnectionRequest[]): Promise<ConnectionResponse> {
  try {
    const client = await connected
    if (requests.at(-1)!.text === END.text) {
      await client.end()
      return { results: [{ rows: [], changes: 0 }] }
    }
    if (lost !== undefined) throw lost
    const results: ConnectionResult[] = []
    for (const part of toParts(requests)) results.push(...(await send(client, part)))
    return { results }
  } catch (error) {
    const { message, code = '' } = error as Error & { code?: string }
    return { error: { message, code }, isLost: lost !== undefined || endsConnection(code) }
  }
}

/** Scripts, and the statements between them. */
function toParts(requests: ConnectionRequest[]): (string | PreparedRequest[])[] {
  const parts: (string | PreparedRequest[])[] = []
  for (const { text, values, name } of requests) {
    const last = parts.at(-1)
    if (values === undefined) parts.push(text)
    else if (Array.isArray(last)) last.push({ text, values, name })
    else parts.push([{ text, values, name }])
  }
  return parts
}

async function send(client: pg.Client, part: string | PreparedRequest[]): Promise<ConnectionResult[]> {
  if (typeof part !== 'string') return client.query(new Batch(part, client, prepared)).results
  const results = [await client.query(part)].flat()
  // A script has the result of its last statement.
  const { rows, rowCount } = results.at(-1)!
  return [{ rows, changes: rowCount ?? 0 }]
}
