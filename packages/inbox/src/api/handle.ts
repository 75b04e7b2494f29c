import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { InboxRequestInvalid, InboxTokenReadOnly } from '../errors.ts'
import { canWrite } from './can-write.ts'
import type { createMcp, McpCaller } from './mcp.ts'
import { parseInput, type Operation } from './operation.ts'
import { operations } from './operations/index.ts'
import { toOpenApi } from './openapi.ts'
import { sendJson } from '../send-json.ts'
import { hasBody, type OperationName } from './routes.ts'

/** Runs an operation, and sends its result with an ETag. */
export async function handleOperation(
  name: OperationName,
  caller: McpCaller,
  request: FastifyRequest,
  reply: FastifyReply
): Promise<FastifyReply> {
  const operation: Operation = operations[name]
  if (operation.scope === 'write' && !canWrite(caller.token)) throw new InboxTokenReadOnly()
  const { method, params, query, body } = request
  const given = hasBody(method) ? body : query
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new InboxRequestInvalid('send the parameters as a JSON object')
  const input = parseInput(operation, { ...given, ...(params as object) })
  const result = await caller.inTurn(() => operation.run(caller, input))
  return sendJson(request, reply, result)
}

export const sendOpenApi = ({ origin }: McpCaller, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendJson(request, reply, toOpenApi(origin))

type Mcp = ReturnType<typeof createMcp>

/** Answers a message of an MCP client. */
export async function handleMcp(mcp: Mcp, caller: McpCaller, request: FastifyRequest, reply: FastifyReply) {
  const { method, headers, body } = request
  const message = new Request(`${caller.origin}${request.url}`, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !name.startsWith(':') ? [[name, value] as [string, string]] : []
    )
  })
  const { person, scope } = caller.token
  const authInfo = { token: '', clientId: String(person), scopes: [scope], extra: { caller } }
  const answer = await mcp.fetch(message, { authInfo, parsedBody: body })
  reply.code(answer.status)
  for (const [name, value] of answer.headers) reply.header(name, value)
  return reply.send(answer.body ? Readable.fromWeb(answer.body as ReadableStream) : '')
}
