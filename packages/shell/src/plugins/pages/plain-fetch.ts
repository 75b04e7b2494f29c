import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { CHANNELS } from '@hull/common/channels.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { RETRIED_METHODS } from '../../fetch/page-fetch.ts'
import type { RendererState } from '../../render/renderer.ts'
import type { Site } from '../../render/site.ts'
import { layoutName } from '../../routing/layout-names.ts'

/** Work in which a page should use ctx.fetch. */
const PAGE_WORK = [CHANNELS.guard, CHANNELS.data, CHANNELS.enter, CHANNELS.action]

/** Work that has retries. */
const RETRIED = [CHANNELS.fetch, CHANNELS.retry]

/** Channel of undici, of which Node's `fetch` is a part. */
const REQUESTS = 'undici:request:create'

interface OutgoingRequest {
  method: string
  origin: string | URL
}

/**
 * Warns once of each page and layout that sends a request by `fetch`, which ctx.fetch would retry. For development:
 * without a subscriber the channels cost nothing.
 */
export function warnOfPlainFetch(app: FastifyInstance, state: RendererState): void {
  /** Name of the page or layout whose code runs; undefined where retries surround it. */
  const running = new AsyncLocalStorage<string | undefined>()
  const warned = new Set<string>()
  for (const { start } of PAGE_WORK) start.bindStore(running, ({ name }) => name)
  for (const { start } of RETRIED) start.bindStore(running, () => undefined)

  const warn = safeCallback(function warnOnce({ request: { method, origin } }: { request: OutgoingRequest }) {
    const name = running.getStore()
    if (name === undefined || warned.has(name) || !RETRIED_METHODS.has(method)) return
    warned.add(name)
    const file = findFile(state.site, name)
    app.log.warn(
      { method, origin: String(origin) },
      `${file} sends a request by fetch: use ctx.fetch, which retries it`
    )
  }) as (message: unknown) => void
  subscribe(REQUESTS, warn)

  app.addHook('onClose', async function stopWarning() {
    unsubscribe(REQUESTS, warn)
    for (const { start } of [...PAGE_WORK, ...RETRIED]) start.unbindStore(running)
  })
}

/** @param name pattern of a page, or name of a layout, which may surround only fallbacks */
function findFile({ entry, patterns, fileOf }: Site, name: string): string {
  const page = patterns.find(({ path }) => path === name)
  const id = page?.id ?? Object.keys(entry.layouts).find((layout) => layoutName(layout) === name)!
  return fileOf(id)
}
