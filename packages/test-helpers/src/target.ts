import { createListeningApp, type ListeningAppOptions } from './app.ts'
import { exchange, request, type RawAnswer } from './raw-client.ts'
import { buildFixtureSite } from './site.ts'

/** The fixture site on a real socket, to which tests send any bytes. An error in its log fails the test. */
export async function openTarget(t: Parameters<typeof createListeningApp>[0], options: ListeningAppOptions = {}) {
  const site = await buildFixtureSite()
  const { app, logs, port } = await createListeningApp(t, { site, ...options })

  /** @throws Error if a page cannot be loaded on a new connection */
  async function checkAlive(): Promise<void> {
    const { status, text } = await exchange(port, request('GET /about HTTP/1.1'))
    if (status !== 200) throw new Error(`no page any more: ${text.slice(0, 200)}`)
  }

  return {
    app,
    logs,
    port,
    checkAlive,
    /** Sends bytes on a new connection, and checks that the next visitor gets a page. */
    async send(bytes: string | Buffer): Promise<RawAnswer> {
      const answer = await exchange(port, bytes)
      await checkAlive()
      return answer
    }
  }
}
