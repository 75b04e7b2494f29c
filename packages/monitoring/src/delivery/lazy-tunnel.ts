import type { Tunnel, TunnelStats } from './tunnel.ts'

export interface LazyTunnel extends Tunnel {
  /** Opens the tunnel, as the first envelope does otherwise. */
  open: () => void
}

const NOTHING: TunnelStats = {
  bytes: 0,
  envelopes: 0,
  oldestAge: 0,
  available: true,
  clockJump: 0,
  drops: [],
  delivered: 0,
  providers: []
}

/** Creates a tunnel that opens its file and its thread on first use. */
export function createLazyTunnel(openTunnel: () => Tunnel): LazyTunnel {
  let opened: Tunnel | undefined
  const open = () => (opened ??= openTunnel())
  return {
    open,
    accept: (envelope) => open().accept(envelope),
    begin: () => open().begin(),
    rateLimits: (dsn) => open().rateLimits(dsn),
    send: (dsn, envelope) => open().send(dsn, envelope),
    stats: () => opened?.stats() ?? NOTHING,
    flush: async (timeout) => opened === undefined || opened.flush(timeout),
    close: async () => opened?.close()
  }
}
