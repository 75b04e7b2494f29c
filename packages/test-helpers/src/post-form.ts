import type { FastifyInstance, LightMyRequestResponse } from 'fastify'

/** Posts fields as a form without files does. */
export const postForm = (
  app: FastifyInstance,
  url: string,
  fields: ConstructorParameters<typeof URLSearchParams>[0],
  headers: Record<string, string> = {}
): Promise<LightMyRequestResponse> =>
  app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString()
  })
