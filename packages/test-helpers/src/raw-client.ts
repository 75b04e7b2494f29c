import { connect, type Socket } from 'node:net'
import { PATIENCE } from './patience.ts'

export interface RawAnswer {
  status: number
  /** Lower-case names. */
  headers: Record<string, string>
  /** The body as it was sent, including the framing of chunks. */
  body: string
  /** All received bytes, including further responses. */
  text: string
}

/** A client that sends arbitrary bytes, and keeps what it receives. */
export class RawClient {
  readonly socket: Socket
  /** Resolves when the connection has ended, in any way. */
  readonly closed: Promise<void>
  #text = ''

  private constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      this.#text += chunk
    })
    // A server may cut a connection without reading it to its end.
    socket.on('error', () => {})
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        resolve()
      })
    })
  }

  static async open(port: number, { allowHalfOpen = false } = {}): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen, noDelay: true })
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    return new RawClient(socket)
  }

  /** Everything received so far. */
  get text(): string {
    return this.#text
  }

  send(bytes: string | Buffer): this {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    return this
  }

  /** Waits for a text to arrive. @throws Error if the connection ends first */
  async until(wanted: string): Promise<string> {
    const over = this.closed.then(() => true)
    while (!this.#text.includes(wanted)) {
      const next = new Promise<void>((resolve) =>
        this.socket.once('data', () => {
          resolve()
        })
      )
      if ((await this.#patiently(Promise.race([next, over]))) && !this.#text.includes(wanted))
        throw new Error(`the connection ended without ${wanted}: ${this.#text}`)
    }
    return this.#text
  }

  /** The first response, after the connection has ended. */
  async answer(): Promise<RawAnswer> {
    await this.#patiently(this.closed)
    return parseAnswer(this.#text)
  }

  #patiently<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.socket.destroy()
        reject(new Error(`nothing happened any more after ${JSON.stringify(this.#text.slice(0, 500))}`))
      }, PATIENCE)
      promise.then(resolve, reject).finally(() => {
        clearTimeout(timer)
      })
    })
  }
}

/** Sends bytes on a new connection, and reads until the server ends it. */
export async function exchange(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  const client = await RawClient.open(port)
  return client.send(bytes).answer()
}

/** A request with `Connection: close`. Header lines are sent unchanged. */
export function request(line: string, headers: string[] = ['Host: localhost'], body = ''): string {
  return [line, ...headers, 'Connection: close', '', body].join('\r\n')
}

/** Parses the first response of a connection; status 0 if there was none. */
export function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(statusLine)?.[1] ?? 0)
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const at = line.indexOf(':')
    headers[line.slice(0, at).toLowerCase()] = line.slice(at + 1).trim()
  }
  return { status, headers, body: rest.join('\r\n\r\n'), text }
}
