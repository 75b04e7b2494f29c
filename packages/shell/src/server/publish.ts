import type { TracingChannel } from 'node:diagnostics_channel'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DOCUMENTS, type WorkMessage } from '@hull/common/channels.ts'
import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'
import { isThenable } from '@hull/common/is-thenable.ts'

/**
 * Publishes a document for one visitor that is sent whole.
 * @returns markup from subscribers for the head
 */
export function publishDocument(request: FastifyRequest, reply: FastifyReply): string {
  if (!DOCUMENTS.hasSubscribers) return ''
  const message = { server: request.server, request, reply, head: '' }
  DOCUMENTS.publish(message)
  return message.head
}

/**
 * Runs `fn` and publishes its start and end, as `tracePromise` does, but a synchronous function stays synchronous.
 * Without subscribers, only calls `fn`.
 */
export function publishWork<Message extends WorkMessage, T>(
  channel: TracingChannel<unknown, Message>,
  message: Message,
  fn: () => T
): T {
  if (!channel.hasSubscribers) return fn()
  return channel.start.runStores(message, function runPublished() {
    try {
      const result = fn()
      if (isThenable(result)) return followPromise(channel, message, result) as T
      message.result = result
      return result
    } catch (error) {
      fail(channel, message, error)
      throw error
    } finally {
      channel.end.publish(message)
    }
  }) as T
}

function followPromise<Message extends WorkMessage>(
  channel: TracingChannel<unknown, Message>,
  message: Message,
  promise: PromiseLike<unknown>
): PromiseLike<unknown> {
  return promise.then(
    function publishResult(result) {
      message.result = result
      endAsync(channel, message)
      return result
    },
    function publishError(error: unknown) {
      fail(channel, message, error)
      endAsync(channel, message)
      throw error
    }
  )
}

function endAsync<Message extends WorkMessage>(
  { asyncStart, asyncEnd }: TracingChannel<unknown, Message>,
  message: Message
): void {
  asyncStart.publish(message)
  asyncEnd.publish(message)
}

function fail<Message extends WorkMessage>(
  channel: TracingChannel<unknown, Message>,
  message: Message,
  error: unknown
): void {
  message.error = error
  if (isRedirect(error)) message.expected = true
  else if (isOutcome(error)) {
    message.expected = true
    message.status = error.statusCode
  }
  channel.error.publish(message)
}
