import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { listen } from './listen.ts'

/** A TCP proxy in front of an origin that can break or slow down connections; closed with the test. */
export async function openCuttingProxy(t: Test, origin: string) {
  const { hostname, port } = new URL(origin)
  const pairs = new Set<{ near: Socket; far: Socket }>()
  let isSilent = false
  /** Connections that were opened while the proxy was silent. */
  const held = new Set<Socket>()
  const server = createServer(function forward(near) {
    if (isSilent) return void held.add(near.on('error', () => near.destroy()))
    const far = connect(Number(port), hostname)
    pairs.add({ near, far })
    near.pipe(far)
    far.pipe(near)
    for (const socket of [near, far]) socket.on('error', () => socket.destroy())
  })
  const { origin: nearOrigin } = await listen(t, server)
  t.teardown(() => {
    for (const near of held) near.destroy()
    for (const { near, far } of pairs) {
      near.destroy()
      far.destroy()
    }
  })
  return {
    origin: nearOrigin,

    /** Limits the rate of the responses of open connections, in steps of a tenth of a second. */
    slowDown(bytesPerSecond: number) {
      for (const { near, far } of pairs) {
        far.unpipe(near)
        drip(far, near, bytesPerSecond / 10).catch(() => near.destroy())
      }
    },

    /**
     * Forwards nothing any more: open and new connections stay open without a response. `false` forwards new
     * connections again.
     */
    silence(silent: boolean) {
      isSilent = silent
      if (silent) this.cut('silent')
    },

    /**
     * Ends all transfers: closes the clients' connections, resets them, or leaves them open and silent. The origin does
     * not notice.
     */
    cut(how: 'closed' | 'reset' | 'silent') {
      for (const { near, far } of pairs) {
        near.unpipe(far)
        far.unpipe(near)
        far.resume()
        if (how === 'closed') near.end()
        if (how === 'reset') near.resetAndDestroy()
      }
    }
  }
}

async function drip(from: Socket, to: Socket, step: number) {
  for await (const chunk of from as AsyncIterable<Buffer>)
    for (let at = 0; at < chunk.length; at += step) {
      to.write(chunk.subarray(at, at + step))
      await pause(100)
    }
}
