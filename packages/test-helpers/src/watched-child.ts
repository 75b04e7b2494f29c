import { setTimeout as pause } from 'node:timers/promises'
import type { ChildServer } from './child-server.ts'
import { INBOX_PASSWORD } from './inbox-visitor.ts'
import { PATIENCE } from './patience.ts'

const IN_FLIGHT = 'http_requests_in_flight'

/** Checks that a server in another process still runs and answers, and leaves no handles open. */
export async function watchHealth(server: ChildServer) {
  const cookie = await signIn(server)

  /** @throws Error when the server does not answer */
  async function check(after: string): Promise<void> {
    const response = await fetch(`${server.origin}/healthz`).catch((cause: unknown) => {
      throw new Error(`${after}: the server does not answer`, { cause })
    })
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`${after}: ${response.status}`)
  }

  async function read(): Promise<Map<string, number>> {
    const text = await (await fetch(`${server.origin}/metrics`)).text()
    return new Map(
      text
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))])
    )
  }

  return {
    cookie,
    check,
    read,
    /**
     * Heap in use after a garbage collection, of a server with the routes of packages/shell/test/fixtures/failures.ts.
     */
    heap: async () => Number(await (await fetch(`${server.origin}/heap`)).text()),
    /** Open handles after all requests have ended, including the connection of the request that counts them. */
    async settled() {
      let metrics = await read()
      for (const end = performance.now() + PATIENCE; metrics.get(IN_FLIGHT) !== 1 && performance.now() < end;) {
        await pause(100)
        metrics = await read()
      }
      return { inFlight: metrics.get(IN_FLIGHT), rejections: metrics.get('unhandled_rejections_total') }
    }
  }
}

/** The cookie of a person signed in to the inbox. */
async function signIn({ origin }: ChildServer): Promise<string> {
  const response = await fetch(`${origin}/inbox/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ name: 'Ada', password: INBOX_PASSWORD }),
    headers: { origin, 'sec-fetch-site': 'same-origin' },
    redirect: 'manual'
  })
  if (response.status !== 303) throw new Error(`not signed in: ${response.status}`)
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}
