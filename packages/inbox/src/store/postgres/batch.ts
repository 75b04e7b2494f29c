import type pg from 'pg'
import type { Row } from '../store.ts'
import type { ConnectionResult, ConnectionValue } from './connection.ts'

/** A statement that PostgreSQL keeps prepared. */
export interface PreparedRequest {
  text: string
  values: readonly ConnectionValue[]
  /** Name of the prepared statement. @default it is prepared for this request only */
  name?: string
}

/** Knows how to read a type of PostgreSQL from text. */
type Types = Pick<pg.Client, 'getTypeParser'>

/** The message that names the columns of a result. */
interface RowDescription {
  fields: { name: string; dataTypeID: number }[]
}

/**
 * Statements that are sent to PostgreSQL together and answered together, so they wait for one journey to the server
 * instead of one each. After an error, PostgreSQL runs none of the rest. `pg` calls the methods, as it does for its own
 * queries.
 */
export class Batch implements pg.Submittable {
  readonly results: Promise<ConnectionResult[]>
  readonly #requests: readonly PreparedRequest[]
  readonly #types: Types
  readonly #prepared: Set<string>
  readonly #answered: ConnectionResult[] = []
  #rows: Row[] = []
  #columns: { name: string; parse: (text: string) => unknown }[] = []
  #resolve!: (results: ConnectionResult[]) => void
  #reject!: (error: Error) => void

  /** @param prepared names of the statements that the connection has prepared; the batch adds its own */
  constructor(requests: readonly PreparedRequest[], types: Types, prepared: Set<string>) {
    this.#requests = requests
    this.#types = types
    this.#prepared = prepared
    this.results = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY */
  submit(connection: pg.Connection): void {
    connection.stream.cork()
    for (const request of this.#requests) this.#send(connection, request)
    connection.sync()
    connection.stream.uncork()
  }

  #send(connection: pg.Connection, { text, values, name = '' }: PreparedRequest): void {
    if (!this.#prepared.has(name)) {
      // After a failed batch it is unknown whether PostgreSQL has the statement.
      if (name !== '') connection.close({ type: 'S', name }, true)
      connection.parse({ text, name, types: [] }, true)
      if (name !== '') this.#prepared.add(name)
    }
    connection.bind({ statement: name, values: values.map(toText) }, true)
    connection.describe({ type: 'P' }, true)
    connection.execute(null, true)
  }

  handleRowDescription({ fields }: RowDescription): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: this.#types.getTypeParser(dataTypeID) }))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const row: Row = {}
    for (const [index, { name, parse }] of this.#columns.entries()) {
      const text = fields[index]!
      row[name] = text === null ? null : parse(text)
    }
    this.#rows.push(row)
  }

  /** @param message its text is the command with its number of rows: `INSERT 0 3` */
  handleCommandComplete({ text }: { text: string }): void {
    this.#answered.push({ rows: this.#rows, changes: Number(text.split(' ').at(-1)) || 0 })
    this.#rows = []
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#answered)
  }

  handleError(error: Error): void {
    for (const { name } of this.#requests.slice(this.#answered.length)) if (name) this.#prepared.delete(name)
    this.#reject(error)
  }
}

/** A value in the form in which it is sent: text, or bytes as they are. PostgreSQL's text has no NUL character. */
function toText(value: ConnectionValue): string | Buffer | null {
  if (value === null) return null
  if (Array.isArray(value)) return `{${value.map(toItem).join(',')}}`
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return String(value).replaceAll('\0', '\uFFFD')
}

/** An item of an array. */
function toItem(value: ConnectionValue): string {
  return value === null ? 'NULL' : `"${String(toText(value)).replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
