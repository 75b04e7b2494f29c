import { z } from 'zod'
import type { Operation } from './operation.ts'
import { operations } from './operations/index.ts'
import { API_PATH, API_ROUTES, hasBody, type OperationName } from './routes.ts'

type JsonSchema = z.core.JSONSchema.BaseSchema & { properties?: Record<string, JsonSchema>; required?: string[] }

/** Describes the API as OpenAPI 3.1. @param origin address of the application */
export const toOpenApi = (origin: string) => ({
  openapi: '3.1.0',
  info: {
    title: 'Inbox API',
    version: '1',
    description: 'Errors, traces and releases of the inbox. Errors are problem details (RFC 9457) with a stable `code`.'
  },
  servers: [{ url: origin + API_PATH }],
  security: [{ token: [] }],
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  paths: (paths ??= toPaths())
})

let paths: ReturnType<typeof toPaths> | undefined

function toPaths() {
  const paths: Record<string, Record<string, object>> = {}
  for (const [name, [method, path]] of Object.entries(API_ROUTES)) {
    const template = path.replace(/:(\w+)/g, '{$1}')
    const describe = toOperation(name, path, method, operations[name as OperationName])
    paths[template] = { ...paths[template], [method.toLowerCase()]: describe }
  }
  return paths
}

function toOperation(operationId: string, path: string, method: string, { summary, scope, input, output }: Operation) {
  const { properties = {}, required = [] } = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any'
  }) as JsonSchema
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const others = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  const toParameter = (place: string) => (name: string) => {
    const { description, ...schema } = (properties[name] ?? {}) as Record<string, unknown>
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      schema
    }
  }
  return {
    operationId,
    summary,
    description: `Needs a token with the scope "${scope}".`,
    parameters: [
      ...inPath.map(toParameter('path')),
      ...(hasBody(method) ? [] : others.map(([name]) => name).map(toParameter('query')))
    ],
    ...(hasBody(method) && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: Object.fromEntries(others),
              required: required.filter((name) => !inPath.includes(name))
            }
          }
        }
      }
    }),
    responses: {
      200: {
        description: 'The result',
        content: { 'application/json': { schema: z.toJSONSchema(output, { io: 'input', unrepresentable: 'any' }) } }
      },
      default: { description: 'A problem', content: { 'application/problem+json': {} } }
    }
  }
}
