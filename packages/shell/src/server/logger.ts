import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { LogController, type FastifyBaseLogger, type FastifyReply, type FastifyRequest } from 'fastify'
import pino, { type DestinationStream, type LevelWithSilent, type LogFn, type Logger, type LoggerOptions } from 'pino'
import { isErrorCode } from '@hull/common/is-error-code.ts'
import { pathOf } from '@hull/common/http/request.ts'
import type { Trust } from '../http/trust.ts'
import { toReadableError } from '@hull/common/readable-error.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

/**
 * Bytes of log lines to collect before writing, below the 16 KiB that the stream writes at once. A guess: about 40
 * requests.
 */
const BUFFER = 8 * 1024

/**
 * Bytes of lines to keep while the output cannot be written, such as a file on a full disk. Further lines are lost. A
 * guess.
 */
const MAX_KEPT = 1024 ** 2

/** Milliseconds between writes of collected lines. */
const FLUSH_INTERVAL = 500

/** Headers with secrets, in case a line contains headers. */
const REDACTED = [
  'req.headers.authorization',
  'req.headers.cookie',
  'res.headers["set-cookie"]',
  'headers.authorization',
  'headers.cookie'
]

/** Accepted form of a request id from a trusted proxy. */
const INBOUND_ID = /^[\w.-]{8,128}$/

export interface LoggerSettings {
  /** Least severe level to log. */
  logLevel: LevelWithSilent
  /** Name of the running version, included in every line. */
  release?: string
  /** Name of the deployment, included in every line. */
  environment: string
}

/**
 * Creates Fastify's logger: JSON lines, or readable ones in a terminal. Lines up to `warn` are collected; an error is
 * written immediately, with the lines before it.
 * @param stream destination instead of standard output
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

/**
 * Readable lines, each written immediately: as a stream, pino-pretty would lose the last ones at exit. pino-pretty is
 * loaded only here.
 */
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

/**
 * Collects lines. Writes them immediately from level `error` on, and when the process ends. An output that cannot be
 * written is tried again with the next lines; the server continues.
 */
function openBuffered(): DestinationStream {
  const destination = pino.destination({ minLength: BUFFER, maxLength: MAX_KEPT, sync: true })
  let failed = false
  // Without a listener, the error would be thrown by each line.
  destination.on(
    'error',
    safeCallback(() => {
      failed = true
    })
  )
  const ERROR = pino.levels.values.error!
  let leaving = false
  // Not flushSync, which waits for the disk if the output is a file.
  setInterval(
    safeCallback(() => destination.flush()),
    FLUSH_INTERVAL
  ).unref()
  process.once(
    'exit',
    safeCallback(() => {
      leaving = true
      failed = false
      destination.flush()
      // It would retry an output that cannot be written forever.
      if (!failed) destination.flushSync()
    })
  )
  const stream = {
    // With this symbol, pino sets `lastLevel` before each line
    // (https://github.com/pinojs/pino/blob/main/docs/api.md#metadata).
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
 * Creates Fastify's `genReqId`, with ids that are unique across processes and restarts.
 * @param trust whether to accept a peer's id if it has the right form
 */
export function createRequestId(trust: false | Trust): (message: IncomingMessage) => string {
  return ({ headers, socket }) => {
    const inbound = headers['x-request-id']
    if (trust && typeof inbound === 'string' && INBOUND_ID.test(inbound) && trust(socket.remoteAddress, 0))
      return inbound
    return randomUUID()
  }
}

/**
 * Omits Fastify's request lines, because the request log writes its own. Keeps the others, such as those about aborted
 * streams.
 */
export class RequestLineFilter extends LogController {
  override incomingRequest(): void {}
  override routeNotFound(): void {}

  /** Leaves the error to the fallbacks plugin, if that is registered. Otherwise Fastify answers, and logs the error. */
  override defaultErrorLog(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    if (kUnhandled in reply) reply[kUnhandled] = error
    else super.defaultErrorLog(error, request, reply)
  }

  /** Reports an error of an `onResponse` hook; not that of a response that was cut, because the visitor has left. */
  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    if (!error || !reply.raw.writableFinished) return
    if (reply.server.hasRequestDecorator('reportError')) request.reportError(error)
    else super.requestCompleted(error, request, reply)
  }

  /** Reports a stream that fails after the headers were sent, unless the visitor has left. */
  override streamError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    const isExpected = isErrorCode(error, 'ERR_STREAM_PREMATURE_CLOSE') || reply.raw.destroyed || request.raw.aborted
    if (isExpected || !reply.server.hasRequestDecorator('reportError')) super.streamError(error, request, reply)
    else request.reportError(error)
  }
}

/** Error that Fastify's own error handler received, of an `onSend` hook that failed for the answer to an error. */
export const kUnhandled = Symbol('unhandled error')

declare module 'fastify' {
  interface FastifyReply {
    [kUnhandled]?: unknown
  }
}

/** Logs any value without throwing: an object that throws when it is read is replaced by the error that it threw. */
function logSafely(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  try {
    method.apply(this, args)
  } catch (error) {
    const text = args.find((arg) => typeof arg === 'string') as string | undefined
    method.call(this, { err: toReadableError(error) }, text ?? 'a line could not be logged')
  }
}

/** Describes a request as Fastify does for errors, but without the query, which may contain secrets. */
function describeRequest(request: Partial<FastifyRequest>): object {
  const { method, originalUrl } = request
  return originalUrl === undefined ? request : { method, path: pathOf(originalUrl) }
}
