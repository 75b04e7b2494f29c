import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify'
import fp from 'fastify-plugin'
import { originOf } from '@hull/common/http/request.ts'
import { LazyValue } from '@hull/common/lazy-value.ts'
import { notFound } from '@hull/common/outcomes.ts'
import { requireOpen } from '../access/guard.ts'
import { toReach } from '../access/reach.ts'
import { createApiTokens, type ApiTokens } from '../access/api-tokens.ts'
import { API_PATH, API_ROUTES, type OperationName } from '../api/routes.ts'
import type { McpCaller } from '../api/mcp.ts'
import { createTurns } from '../api/turns.ts'
import type { InboxRoutesOptions } from '../routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Tokens of programs that use the inbox's API. */
    inboxTokens: ApiTokens
  }
}

/** Bytes of a request: a comment of the longest kind, in JSON. */
const BODY_LIMIT = 128 * 1024

/**
 * The inbox for programs: a JSON API and an MCP endpoint, both by token. Schemas and the MCP library are loaded with the
 * first request.
 */
export default fp<InboxRoutesOptions>(
  async function inboxApi(app, { inbox, broadcast, baseUrl, basePath = '' }) {
    const tokens = createApiTokens({
      inbox,
      broadcast,
      onError: (err) => app.log.warn({ err }, 'the last use of an inbox token could not be stored')
    })
    app.decorate('inboxTokens', tokens)
    const turnsOf = createTurns()
    const handlers = new LazyValue(() => load(app))

    // A token is sent deliberately, so a page of another site cannot misuse it.
    const route = {
      bodyLimit: BODY_LIMIT,
      exposeHeadRoute: false,
      config: { isApi: true, allowedOrigins: '*' },
      preParsing: forgetTypeOfNothing
    } as const

    for (const [name, [method, path]] of Object.entries(API_ROUTES))
      app.route({
        ...route,
        method,
        url: API_PATH + path,
        async handler(request, reply) {
          const caller = await toCaller(request, reply)
          const { handleOperation } = await handlers.get()
          return handleOperation(name as OperationName, caller, request, reply)
        }
      })

    app.get(`${API_PATH}/openapi.json`, route, async function sendDescription(request, reply) {
      const caller = await toCaller(request, reply)
      const { sendOpenApi } = await handlers.get()
      return sendOpenApi(caller, request, reply)
    })

    app.route({
      ...route,
      method: ['GET', 'POST', 'DELETE'],
      url: `${API_PATH}/mcp`,
      async handler(request, reply) {
        const { body } = request
        // Each message of a batch counts as a request.
        const caller = await toCaller(request, reply, Array.isArray(body) ? body.length : 1)
        const { handleMcp, mcp } = await handlers.get()
        return handleMcp(mcp, caller, request, reply)
      }
    })

    app.all(`${API_PATH}/*`, route, async function refuseUnknown(request, reply) {
      await toCaller(request, reply)
      notFound('The API has no such operation. GET /inbox/api/openapi.json lists all.')
    })

    async function toCaller(request: FastifyRequest, reply: FastifyReply, requests = 1): Promise<McpCaller> {
      requireOpen({ server: app })
      const token = await tokens.authenticate(request, reply, requests)
      return {
        inbox: toReach(inbox, token),
        token,
        origin: originOf(request, baseUrl) + basePath,
        inTurn: turnsOf(token.person, (seconds) => reply.header('retry-after', seconds))
      }
    }
  },
  { name: 'inbox-api', fastify: '5.x', dependencies: ['inbox-access'] }
)

/** Many clients send the type of a body with each request, also without a body, which is no valid JSON. */
function forgetTypeOfNothing(
  { headers }: FastifyRequest,
  _reply: FastifyReply,
  payload: RequestPayload,
  done: (error: null, payload: RequestPayload) => void
): void {
  if (Number(headers['content-length'] ?? 0) === 0 && headers['transfer-encoding'] === undefined)
    delete headers['content-type']
  done(null, payload)
}

async function load(app: FastifyInstance) {
  const [{ handleOperation, sendOpenApi, handleMcp }, { createMcp }] = await Promise.all([
    import('../api/handle.ts'),
    import('../api/mcp.ts')
  ])
  const mcp = createMcp({
    onError: (err) => app.log.error({ err }, 'an MCP tool of the inbox failed'),
    onRefused: (err) => app.log.info({ err }, 'a request to the MCP endpoint of the inbox was refused')
  })
  return { handleOperation, sendOpenApi, handleMcp, mcp }
}
