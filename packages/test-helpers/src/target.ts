import { createListeningApp, type ListeningAppOptions } from './app.ts'
import { exchange, request, type RawAnswer } from './raw-client.ts'
import { buildFixtureSite } from './site.ts'

/** The fixture site on a real socket, to be sent anything at all. An error in its log fails the test. */
export async function openTarget(t: Parameters<typeof createListeningApp>[0], options: ListeningAppOptions = {}) {
  const site = await buildFixtureSite()
  const { app, logs, port } = await createListeningApp(t, { site, ...options })

  /** @throws Error when a page is not served on a fresh connection */
  async function checkAlive(): Promise<void> {
    const { status, text } = await exchange(port, request('GET /about HTTP/1.1'))
    if (status !== 200) throw new Error(`no page any more: ${text.slice(0, 200)}`)
  }

  return {
    app,
    logs,
    port,
    checkAlive,
    /** Sends bytes on a connection of their own, and sees that the next visitor is served. */
    async send(bytes: string | Buffer): Promise<RawAnswer> {
      const answer = await exchange(port, bytes)
      await checkAlive()
      return answer
    }
  }
}
