import type { FastifyBaseLogger } from 'fastify'
import { completesWithin } from '@hull/common/completes-within.ts'

/** Checks whether pages can be served. It fails if it throws, rejects, returns false or takes longer than 800 ms. */
export type HealthCheck = () => unknown

export interface HealthReport {
  status: 'ok' | 'unready' | 'draining'
  /** Results without reasons, because they are public. The log has the reasons. */
  checks: Record<string, 'ok' | 'failed'>
}

export interface Health {
  /**
   * Adds a check to /readyz. Only for things that all pages need: while a check fails, the server receives no requests.
   */
  addCheck: (name: string, check: HealthCheck) => void
  /** Marks the server as not ready, permanently. */
  drain: () => void
  /** Runs all checks. */
  check: () => Promise<HealthReport>
}

/**
 * Milliseconds for each check. Our choice: below the second that Kubernetes gives a probe by default
 * (`timeoutSeconds`).
 */
const CHECK_TIMEOUT = 800

/** Runs checks in parallel, once for simultaneous requests, and logs when one fails or recovers. */
export function createHealth(log: Pick<FastifyBaseLogger, 'warn' | 'info'>): Health {
  const checks = new Map<string, HealthCheck>()
  const failing = new Set<string>()
  let isDraining = false
  let running: Promise<HealthReport['checks']> | undefined

  async function runOne(name: string, check: HealthCheck): Promise<[string, 'ok' | 'failed']> {
    try {
      if ((await inTime(check)) === false) throw new Error('the check returned false')
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
