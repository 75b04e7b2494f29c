import { join } from 'node:path'
import type { Test } from 'tap'
import { startChildServer } from './child-server.ts'
import { createFolder } from './folder.ts'
import { buildSite, type TestSite } from './site.ts'

/** The pages of packages/shell/test/fixtures/faults, which fail in every way and place. */
export const buildFaultySite = (): Promise<TestSite> =>
  buildSite(join(import.meta.dirname, '../../shell/test/fixtures/faults'))

/** Those pages served by a process of its own, which logs a rejection that nobody handles. */
export async function startFaultyServer(t: Test, renderTimeout = '10s') {
  const { root } = await buildFaultySite()
  const server = await startChildServer(
    t,
    'packages/shell/test/fixtures/site-server.ts',
    root,
    createFolder(t),
    renderTimeout
  )

  /** Asks for a page, and fails where the server has not answered within a minute. */
  const get = async (path: string, signal = AbortSignal.timeout(60_000)) => {
    const response = await fetch(server.origin + path, { signal, redirect: 'manual' })
    return { status: response.status, headers: response.headers, body: await response.text() }
  }

  /** Fails where the server has ended, or a rejection found no listener. Takes the other errors, which faults cause. */
  async function checkAlive(t: Test, after: string) {
    const { status } = await get('/')
    // An unhandled rejection is told a turn after it was made.
    await get('/')
    t.equal(status, 200, `alive after ${after}`)
    const unhandled = server.lines.filter(({ msg }) => msg === 'unhandled rejection')
    t.same(unhandled, [], `no unhandled rejection after ${after}`)
    server.takeErrors()
  }
  return { ...server, get, checkAlive }
}
