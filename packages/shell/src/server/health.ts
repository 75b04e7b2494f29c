import type { FastifyBaseLogger } from 'fastify'
import { completesWithin } from '@hull/common/completes-within.ts'

/** Says whether pages can be served: throws, rejects or gives false when not. */
export type HealthCheck = () => unknown

export interface HealthReport {
  status: 'ok' | 'unready' | 'draining'
  /** No reasons: anybody may read it. Those are in the log. */
  checks: Record<string, 'ok' | 'failed'>
}

export interface Health {
  /** Adds a check to /readyz. For what pages cannot be served without, and nothing else: while it fails no request comes. */
  addCheck: (name: string, check: HealthCheck) => void
  /** From here on the server is not ready, for good. */
  drain: () => void
  check: () => Promise<HealthReport>
}

/** Milliseconds a check has. Ours: under the second that Kubernetes gives a probe by default (`timeoutSeconds`). */
const CHECK_TIMEOUT = 800

/** Runs checks side by side, once for all who ask at the same time, and logs when one fails or recovers. */
export function createHealth(log: Pick<FastifyBaseLogger, 'warn' | 'info'>): Health {
  const checks = new Map<string, HealthCheck>()
  const failing = new Set<string>()
  let isDraining = false
  let running: Promise<HealthReport['checks']> | undefined

  async function runOne(name: string, check: HealthCheck): Promise<[string, 'ok' | 'failed']> {
    try {
      if ((await inTime(check)) === false) throw new Error('the check gave false')
      if (failing.delete(name)) log.info({ check: name }, 'health check recovered')
      return [name, 'ok']
    } catch (err) {
      if (!failing.has(name)) log.warn({ check: name, err }, 'health check failed')
      failing.add(name)
      return [name, 'failed']
    }
  }

  async function runAll(): Promise<HealthReport['checks']> {
    try {
      return Object.fromEntries(await Promise.all([...checks].map(([name, check]) => runOne(name, check))))
    } finally {
      running = undefined
    }
  }

  return {
    addCheck(name, check) {
      checks.set(name, check)
    },
    drain() {
      isDraining = true
    },
    async check() {
      const results = await (running ??= runAll())
      const isReady = Object.values(results).every((result) => result === 'ok')
      return { status: isDraining ? 'draining' : isReady ? 'ok' : 'unready', checks: results }
    }
  }
}

async function inTime(check: HealthCheck): Promise<unknown> {
  const running = Promise.resolve(check())
  if (!(await completesWithin(running, CHECK_TIMEOUT)))
    throw new Error(`the check took longer than ${CHECK_TIMEOUT} ms`)
  return running
}
