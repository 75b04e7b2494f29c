import type { FastifyInstance, LightMyRequestResponse } from 'fastify'

export type Visitor = ReturnType<typeof createVisitor>

/** A visitor who keeps cookies, as a browser does. */
export function createVisitor(app: FastifyInstance, headers: Record<string, string> = {}) {
  const jar = new Map<string, string>()

  return { get, post, jar }

  function get(url: string) {
    return send({ url, method: 'GET' })
  }

  function post(url: string, fields: Record<string, string>) {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return send({ url, method: 'POST', payload: new URLSearchParams(fields).toString(), headers: type })
  }

  async function send(request: { url: string; method: 'GET' | 'POST'; payload?: string; headers?: object }) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = { ...headers, ...request.headers, ...(cookie && { cookie }) }
    const response = await app.inject({ ...request, headers: sent })
    for (const { name, value } of response.cookies)
      if (value === '') jar.delete(name)
      else jar.set(name, encodeURIComponent(value))
    return response
  }
}

/** Text of a document's main element, without tags. */
export const mainText = ({ body }: LightMyRequestResponse): string =>
  /<main[^]*<\/main>/
    .exec(body)![0]
    .replace(/<!-- -->/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
