import { DatabaseSync } from 'node:sqlite'
import type { Test } from 'tap'
import { openInbox } from '../../src/store/open.ts'
import { createEnvelope, createRawEvent } from './writer.ts'

export const MIB = 1024 ** 2

/**
 * Opens an inbox on a file, until the test ends.
 * @param checkInterval milliseconds between checks of the file
 * @param maxBytes maximum size of the file
 * @param mapsFolder folder with the source maps of the build
 * @returns the inbox with its log lines, and a function that sends an event
 */
export async function openFile(
  t: Test,
  file: string,
  checkInterval?: number,
  maxBytes = 64 * MIB,
  mapsFolder?: string
) {
  const lines: { level: string; details: object; message: string }[] = []
  const write = (level: string) => (details: object, message: string) => lines.push({ level, details, message })
  const log = { info: write('info'), warn: write('warn'), error: write('error') }
  const settings = { maxBytes, retentionDays: 30, release: '1', checkInterval, mapsFolder }
  const inbox = await openInbox({ file, log, ...settings })
  t.teardown(() => inbox.close())
  const deliver = (event = createRawEvent()) => inbox.sink.accept(createEnvelope([['event', event]]))
  return { inbox, lines, deliver }
}

/** Reads rows from a file, whether an inbox has it open or not. */
export function select(file: string, sql: string) {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return db.prepare(sql).all()
  } finally {
    db.close()
  }
}
