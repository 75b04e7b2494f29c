import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { FastifyBaseLogger } from 'fastify'
import pino, { type DestinationStream, type LoggerOptions } from 'pino'
import type { Config } from './config.ts'

/** Bytes of log lines that may wait before they are written together. A guess that has been fine: about 20 requests. */
const BUFFER = 4096

/** Milliseconds that a line may wait. */
const FLUSH_INTERVAL = 500

/** Headers that hold secrets, should a line ever carry headers. */
const REDACTED = [
  'req.headers.authorization',
  'req.headers.cookie',
  'res.headers["set-cookie"]',
  'headers.authorization',
  'headers.cookie'
]

/** A request id that a proxy we trust may hand us. */
const INBOUND_ID = /^[\w.-]{8,128}$/

/**
 * What Fastify logs with: JSON lines, or readable ones in a terminal. Lines up to `warn` are written together; an error
 * and whatever waits before it are written at once.
 * @param stream where lines go instead of standard output
 */
export function createLogger(
  { logLevel, release, environment }: Pick<Config, 'logLevel' | 'release' | 'environment'>,
  stream?: DestinationStream
): FastifyBaseLogger {
  const options: LoggerOptions = {
    level: logLevel,
    base: { pid: process.pid, release, environment },
    redact: REDACTED
  }
  return pino(options, stream ?? (process.stdout.isTTY ? openTerminal() : openBuffered()))
}

/** pino-pretty is loaded only where somebody reads along. */
function openTerminal(): DestinationStream {
  const pretty = createRequire(import.meta.url)('pino-pretty') as (options: object) => DestinationStream
  return pretty({ ignore: 'pid,release,environment', translateTime: 'SYS:HH:MM:ss.l', singleLine: true })
}

function openBuffered(): DestinationStream {
  const destination = pino.destination({ minLength: BUFFER, sync: true })
  const flush = () => {
    destination.flushSync()
  }
  setInterval(flush, FLUSH_INTERVAL).unref()
  process.once('exit', flush)
  return flushingErrors(destination, flush)
}

/** Writes through to the destination, and at once from level `error` on. */
function flushingErrors(destination: DestinationStream, flush: () => void): DestinationStream {
  const ERROR = pino.levels.values.error!
  return {
    write(line) {
      destination.write(line)
      // pino writes the level first: {"level":50,
      if (Number(line.slice(9, 11)) >= ERROR) flush()
    }
  }
}

/**
 * Fastify's `genReqId`: unique across processes and restarts.
 * @param trustProxy take the id a proxy gave, when it looks like one
 */
export function createRequestId(trustProxy: boolean): (message: IncomingMessage) => string {
  return (message) => {
    const inbound = message.headers['x-request-id']
    return trustProxy && typeof inbound === 'string' && INBOUND_ID.test(inbound) ? inbound : randomUUID()
  }
}
