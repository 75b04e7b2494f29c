import { workerData } from 'node:worker_threads'
import type pg from 'pg'
import { importOptional } from '@hull/common/import-optional.ts'
import {
  END,
  type ConnectionRequest,
  type ConnectionResponse,
  type ConnectionWorkerData,
  type FromConnectionWorker,
  type ToConnectionWorker
} from './connection.ts'

/*
 * The thread that talks to PostgreSQL for one synchronous connection. It answers one request at a time and wakes the
 * thread that waits for the response.
 */

/** Milliseconds until an attempt to connect is given up. */
const CONNECT_TIMEOUT = 5_000

/** Object identifiers of PostgreSQL's types, from its catalogue `pg_type`. */
const BOOL = 16
const INT8 = 20
const NUMERIC = 1700

const { url, flag, port } = workerData as ConnectionWorkerData
const signal = new Int32Array(flag)

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

port.on('message', ({ number, requests }: ToConnectionWorker) => {
  void answer(requests).then((response) => {
    port.postMessage({ number, response } satisfies FromConnectionWorker)
    Atomics.add(signal, 0, 1)
    Atomics.notify(signal, 0)
  })
})

/** @returns the response to the last request, or the error of the first that failed, after which none is sent */
async function answer(requests: ConnectionRequest[]): Promise<ConnectionResponse> {
  try {
    const client = await connected
    if (requests.at(-1)!.text === END.text) {
      await client.end()
      return { rows: [], changes: 0 }
    }
    if (lost !== undefined) throw lost
    let result: pg.QueryResult | pg.QueryResult[] = []
    for (const request of requests) result = await send(client, request)
    // Without values, a text may hold several statements; the result is that of the last.
    const { rows, rowCount } = [result].flat().at(-1)!
    return { rows, changes: rowCount ?? 0 }
  } catch (error) {
    const { message, code = '' } = error as Error & { code?: string }
    return { error: { message, code }, isLost: lost !== undefined }
  }
}

const send = (client: pg.Client, { text, values, name }: ConnectionRequest): Promise<pg.QueryResult> =>
  values ? client.query({ text, values: values.map(toValue), ...(name && { name }) }) : client.query(text)

/** PostgreSQL's text has no NUL character. */
function toValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toValue)
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value
}
