import { join } from 'node:path'
import type { Test } from 'tap'
import { startChildServer } from './child-server.ts'
import { createFolder } from './folder.ts'
import { buildSite, type TestSite } from './site.ts'

/** The application with the pages of packages/shell/test/fixtures/faults, which fail in every way and place. */
export const buildFaultySite = (): Promise<TestSite> =>
  buildSite(join(import.meta.dirname, '../../shell/test/fixtures/faults'))

/** The same pages in a process of its own, which logs unhandled rejections. */
export async function startFaultyServer(t: Test, renderTimeout = '10s') {
  const { root } = await buildFaultySite()
  const server = await startChildServer(
    t,
    'packages/shell/test/fixtures/site-server.ts',
    root,
    createFolder(t),
    renderTimeout
  )

  /** Requests a page. @throws Error if the server does not answer within a minute */
  const get = async (path: string, signal = AbortSignal.timeout(60_000)) => {
    const response = await fetch(server.origin + path, { signal, redirect: 'manual' })
    return { status: response.status, headers: response.headers, body: await response.text() }
  }

  /** Fails if the server has exited or a rejection was not handled. Accepts the other errors, which the pages cause. */
  async function checkAlive(t: Test, after: string) {
    const { status } = await get('/')
    // An unhandled rejection is reported one turn after it was created.
    await get('/')
    t.equal(status, 200, `alive after ${after}`)
    const unhandled = server.lines.filter(({ msg }) => msg === 'unhandled rejection')
    t.same(unhandled, [], `no unhandled rejection after ${after}`)
    server.takeErrors()
  }
  return { ...server, get, checkAlive }
}
