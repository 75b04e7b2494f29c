import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { LogController, type FastifyBaseLogger, type FastifyRequest } from 'fastify'
import pino, { type DestinationStream, type LevelWithSilent, type LogFn, type Logger, type LoggerOptions } from 'pino'
import { pathOf } from '@hull/common/http/request.ts'
import type { Trust } from '../http/trust.ts'
import { toReadableError } from '@hull/common/readable-error.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

/** Bytes of log lines that may wait before they are written together, below the 16 KiB that the stream writes at most. A guess: about 40 requests. */
const BUFFER = 8 * 1024

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

export interface LoggerSettings {
  /** The least severe level that is logged. */
  logLevel: LevelWithSilent
  /** Name of the running version, in every line. */
  release?: string
  /** Name of the deployment, in every line. */
  environment: string
}

/**
 * What Fastify logs with: JSON lines, or readable ones in a terminal. Lines up to `warn` are written together; an error
 * and whatever waits before it are written at once.
 * @param stream where lines go instead of standard output
 */
export function createLogger(
  { logLevel, release, environment }: LoggerSettings,
  stream?: DestinationStream
): FastifyBaseLogger {
  const options: LoggerOptions = {
    level: logLevel,
    base: { pid: process.pid, release, environment },
    serializers: { req: describeRequest, err: (error: unknown) => pino.stdSerializers.err(toReadableError(error)) },
    hooks: { logMethod: logSafely },
    redact: REDACTED
  }
  return pino(options, stream ?? (process.stdout.isTTY ? openTerminal() : openBuffered()))
}

/** Lines for reading, each written at once: as a stream, pino-pretty would lose the last ones at exit. Loaded only here. */
function openTerminal(): DestinationStream {
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as {
    prettyFactory: (options: object) => (line: string) => string
  }
  const format = prettyFactory({
    colorize: process.stdout.hasColors(),
    ignore: 'pid,release,environment',
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true
  })
  return {
    write(line) {
      process.stdout.write(format(line))
    }
  }
}

/** Writes lines together, those from level `error` on at once with whatever waits, and the rest when the process ends. */
function openBuffered(): DestinationStream {
  const destination = pino.destination({ minLength: BUFFER, sync: true })
  const ERROR = pino.levels.values.error!
  let leaving = false
  // Not flushSync, which waits for the disk where lines go to a file.
  setInterval(
    safeCallback(() => destination.flush()),
    FLUSH_INTERVAL
  ).unref()
  process.once(
    'exit',
    safeCallback(() => {
      leaving = true
      // First: flushSync would try for ever where nobody reads any more, unless this has met the broken pipe.
      destination.flush()
      destination.flushSync()
    })
  )
  const stream = {
    // pino then sets `lastLevel` before each line (https://github.com/pinojs/pino/blob/main/docs/api.md#metadata).
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      destination.write(line)
      if (leaving || stream.lastLevel >= ERROR) destination.flush()
    }
  }
  return stream
}

/**
 * Fastify's `genReqId`: unique across processes and restarts.
 * @param trust whether to take the id that a peer gave, when it looks like one
 */
export function createRequestId(trust: false | Trust): (message: IncomingMessage) => string {
  return ({ headers, socket }) => {
    const inbound = headers['x-request-id']
    if (trust && typeof inbound === 'string' && INBOUND_ID.test(inbound) && trust(socket.remoteAddress, 0))
      return inbound
    return randomUUID()
  }
}

/** Leaves the line a request to the request log, and keeps Fastify's others: of a stream that breaks off, say. */
export class QuietController extends LogController {
  override incomingRequest(): void {}
  override requestCompleted(): void {}
  override routeNotFound(): void {}
}

/** Writes a line whatever is logged: an object that throws when it is read is replaced by the error that it threw. */
function logSafely(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  try {
    method.apply(this, args)
  } catch (error) {
    const text = args.find((arg) => typeof arg === 'string') as string | undefined
    method.call(this, { err: toReadableError(error) }, text ?? 'a line could not be logged')
  }
}

/** A request as Fastify logs it beside an error, without its query: it may hold secrets. */
function describeRequest(request: Partial<FastifyRequest>): object {
  const { method, originalUrl } = request
  return originalUrl === undefined ? request : { method, path: pathOf(originalUrl) }
}
