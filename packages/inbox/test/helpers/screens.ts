import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { stored } from '@hull/test-helpers/inbox.ts'
import { createRawEvent } from './writer.ts'
import { openSeedStore, seedShowcase } from '../../src/seed/index.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'

/** Milliseconds for which the same sample data is copied. Its times are relative to the time of its creation. */
const SAMPLE_AGE = 60_000

/** Database file with the sample data. Creating it takes 0.4 s of processor time. */
let sample: { at: number; file: Buffer } | undefined

/** Returns settings for an application with a data folder whose inbox contains the sample data. */
export function seedFolder(t: Test): Record<string, string> {
  const folder = createFolder(t)
  const path = join(folder, 'inbox.db')
  if (sample && Date.now() - sample.at < SAMPLE_AGE) {
    writeFileSync(path, sample.file, { mode: 0o600 })
  } else {
    const at = Date.now()
    const store = openSeedStore(path)
    seedShowcase(store)
    store.close()
    sample = { at, file: readFileSync(path) }
  }
  return { DATA_DIR: folder, INBOX_PASSWORD }
}

/** Creates the application with the sample data, and signs in an admin. */
export async function openScreens(
  t: Test,
  { isEmpty = false, env = {} }: { isEmpty?: boolean; env?: Record<string, string> } = {}
) {
  const data = isEmpty ? { DATA_DIR: createFolder(t), INBOX_PASSWORD } : seedFolder(t)
  const { app, logs } = await createTestApp(t, { env: { ...data, ...env } })
  return { app, logs, admin: await signIn(app) }
}

/** Sends events as a service with a DSN does, and waits until they are stored. */
export async function sendEvents(app: FastifyInstance, events: Record<string, unknown>[]): Promise<void> {
  const before = app.inbox!.stats().stored.event ?? 0
  for (const over of events) await sendItems(app, [[{ type: 'event' }, createRawEvent(over)]])
  await stored(app, 'event', before + events.length)
}

/**
 * Sends an envelope as a service with a DSN does.
 * @param items header and payload of each item; the id of the first one is that of the envelope
 */
export async function sendItems(
  app: FastifyInstance,
  items: [header: Record<string, unknown>, payload: object | string][]
): Promise<void> {
  const { id, key } = app.inbox!.own
  const { event_id } = items[0]![1] as { event_id?: string }
  const lines = items.map(([header, payload]) => {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
    return `${JSON.stringify({ ...header, length: Buffer.byteLength(body) })}\n${body}\n`
  })
  const { statusCode } = await app.inject({
    method: 'POST',
    url: `/api/${id}/envelope/?sentry_key=${key}`,
    payload: `${JSON.stringify({ event_id })}\n${lines.join('')}`,
    headers: { 'content-type': 'application/x-sentry-envelope' }
  })
  if (statusCode !== 200) throw new Error(`the envelope was refused: ${statusCode}`)
}

/** Returns an event with an exception of this type and message. */
export const thrown = (type: string, value = 'it is broken', over: Record<string, unknown> = {}) => ({
  exception: { values: [{ type, value, ...over }] }
})

/** Id of the first issue in a list with this type, or of the first issue. */
export function issueIn(html: string, type = ''): number {
  const rows = html.split('<tr data-row="').slice(1)
  const row = rows.find((row) => row.includes(type))
  if (row === undefined) throw new Error(`no row with ${type}`)
  return Number.parseInt(row, 10)
}

/** Address of the previous or next page of a list. */
export const hrefIn = (html: string, rel: 'next' | 'prev'): string | undefined =>
  new RegExp(`href="([^"]+)" rel="${rel}"`).exec(html)?.[1]?.replaceAll('&amp;', '&')

/** Position in the pager of a list: `51–100 of 130`. */
export const placeIn = (html: string): string | undefined => /class="pager-place">([^<]*)</.exec(html)?.[1]
