import * as Sentry from '@sentry/node'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'

/**
 * Creates a client of the Node SDK with the DSN of the first project, in addition to the client of the application.
 * @returns a function that runs work with this client, and resolves when all its envelopes are accepted
 */
export function createSdk(t: Test, { app, origin }: { app: FastifyInstance; origin: string }) {
  const { key, id } = app.inbox!.own
  const client = new Sentry.NodeClient({
    dsn: origin.replace('//', `//${key}@`).concat(`/${id}`),
    environment: 'production',
    integrations: [],
    transport: Sentry.makeNodeTransport,
    stackParser: Sentry.defaultStackParser
  })
  client.init()
  t.teardown(() => client.close())
  return async function send(work: () => unknown): Promise<void> {
    await Sentry.withScope(async (scope) => {
      scope.setClient(client)
      await work()
    })
    if (!(await client.flush(60_000))) throw new Error('the SDK could not send everything')
  }
}
