import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeFileSync } from 'node:fs'
import type { SQLInputValue } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { HULL_VERSION } from '@hull/common/version.ts'
import { InboxCommandInvalid, InboxExportExists, InboxExportStopped, InboxNotResumable } from '../errors.ts'
import { openInboxReader, versionOf } from '../store/sqlite/file.ts'
import { MIGRATIONS } from '../store/migrations/index.ts'
import { SqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { FORMAT, parseLine, TYPES, type ExportFilter, type Header, type LineType } from './format.ts'
import { createProgress } from './progress.ts'
import { keyOf, readPage, SOURCES } from './sources.ts'

export interface ExportOptions {
  /** The inbox's file. */
  inbox: string
  /** @default stdout */
  file: string | undefined
  filter: ExportFilter
  /** Whether to continue the file. */
  resume: boolean
}

/** Position after a line of an unfinished file. */
interface Start {
  header: Header
  type: LineType
  /** Key of the last row of the type. */
  after: SQLInputValue[]
}

/** A file to append to. */
interface Output {
  fd: number
  /** @default the file is new */
  start?: Start
}

/** Bytes to read at once when looking for the last line. */
const BLOCK = 64 * 1024

/**
 * Writes what the inbox stores as NDJSON. Reads through its own connection, so that a server that stores at the same
 * time does not wait.
 * @returns a sentence about the result
 * @throws InboxCommandInvalid @throws InboxExportExists @throws InboxExportStopped @throws InboxNotResumable
 */
export async function exportInbox({ inbox, file, filter, resume }: ExportOptions): Promise<string> {
  const store = openStore(inbox)
  try {
    checkProject(store, filter)
    if (file === undefined) {
      const lines = await writeToStdout(exportLines(store, { header: createHeader(store, filter) }))
      return `exported ${lines} lines`
    }
    const output = resume ? reopen(file, filter) : create(file)
    if (output === undefined) return `${file} is complete already`
    const { fd, start } = output
    try {
      const lines = writeToFile(exportLines(store, start ?? { header: createHeader(store, filter) }), fd)
      fsyncSync(fd)
      return `exported ${lines} ${start ? 'further ' : ''}lines to ${file}`
    } finally {
      closeSync(fd)
    }
  } finally {
    store.close()
  }
}

function openStore(inbox: string): Store {
  if (!existsSync(inbox)) throw new InboxCommandInvalid(`there is no inbox at ${inbox}: DATA_DIR says where it is`)
  const db = openInboxReader(inbox, 1)
  const version = versionOf(db)
  if (version === MIGRATIONS.length) return new SqliteStore(db)
  db.close()
  throw new InboxCommandInvalid(
    version > MIGRATIONS.length
      ? `${inbox} was written by a newer Hull: run the export of that version`
      : `${inbox} was written by an older Hull: start the server once, which updates the file`
  )
}

function checkProject(store: Store, { project }: ExportFilter): void {
  if (project === null || store.get('SELECT 1 FROM project WHERE id = ?', project)) return
  const all = store.all<{ id: number; name: string }>('SELECT id, name FROM project ORDER BY id')
  const names = all.map(({ id, name }) => `${id} (${name})`).join(', ')
  throw new InboxCommandInvalid(`there is no project ${project}. There are: ${names}`)
}

function createHeader(store: Store, filter: ExportFilter): Header {
  const upTo = Object.fromEntries(
    filter.types.filter((type) => SOURCES[type].key === undefined).map((type) => [type, highestId(store, type)])
  )
  return {
    type: 'header',
    format: FORMAT,
    hull: HULL_VERSION,
    at: Date.now(),
    filter,
    projects: store.all('SELECT id, name FROM project WHERE id = ?1 OR ?1 IS NULL ORDER BY id', filter.project),
    upTo
  }
}

const highestId = (store: Store, type: LineType): number =>
  store.get<{ id: number }>(`SELECT coalesce(max(id), 0) AS id FROM ${SOURCES[type].table}`)!.id

type Chunk = { text: string; lines: number; share: number }

/** Yields a page of lines at a time. */
function* exportLines(
  store: Store,
  { header, type, after = [] }: Partial<Start> & { header: Header }
): Generator<Chunk> {
  if (type === undefined) yield { text: toText([header]), lines: 1, share: 0 }
  const types = TYPES.filter((one) => header.filter.types.includes(one))
  const total = types.reduce((sum, one) => sum + (header.upTo[one] ?? 0), 1)
  let done = 0
  for (const current of types) {
    const upTo = header.upTo[current] ?? 0
    if (type === undefined || TYPES.indexOf(current) >= TYPES.indexOf(type)) {
      let key = current === type ? after : []
      for (let isLast = false; !isLast;) {
        const page = readPage(store, current, header.filter, upTo, key)
        ;({ isLast } = page)
        const last = page.rows.at(-1)
        if (last === undefined) break
        key = keyOf(current).map((column) => last[column] as SQLInputValue)
        const share = (done + (SOURCES[current].key ? 0 : (key[0] as number))) / total
        yield { text: toText(page.rows.map((row) => ({ type: current, ...row }))), lines: page.rows.length, share }
      }
    }
    done += upTo
  }
  yield { text: toText([{ type: 'end' }]), lines: 1, share: 1 }
}

const toText = (lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

/** @returns the number of lines */
function writeToFile(chunks: Iterable<Chunk>, fd: number): number {
  const { texts, lines } = follow(chunks)
  try {
    for (const text of texts) writeFileSync(fd, text)
    return lines()
  } catch (error) {
    throw toStopped(error, '. Continue it with --resume')
  }
}

/** @returns the number of lines */
async function writeToStdout(chunks: Iterable<Chunk>): Promise<number> {
  const { texts, lines } = follow(chunks)
  try {
    await pipeline(texts, process.stdout, { end: false })
    return lines()
  } catch (error) {
    throw toStopped(error, '')
  }
}

/** Reports the progress of an export while its texts are written. */
function follow(chunks: Iterable<Chunk>) {
  const progress = createProgress('exported')
  let count = 0
  function* read() {
    try {
      for (const { text, lines, share } of chunks) {
        yield text
        count += lines
        progress.update(count, share)
      }
    } finally {
      progress.clear()
    }
  }
  return { texts: read(), lines: () => count }
}

function toStopped(error: unknown, remedy: string): unknown {
  const { code, message, syscall } = error as NodeJS.ErrnoException
  if (syscall !== 'write') return error
  return new InboxExportStopped(`${code === 'ENOSPC' ? 'the disk is full' : message}${remedy}`)
}

function create(file: string): Output {
  try {
    return { fd: openSync(file, 'ax', 0o600) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new InboxExportExists(file)
    throw new InboxCommandInvalid(`${file} cannot be written: ${(error as Error).message}`)
  }
}

/** Each export begins with this, so that a file with less than its header is known as one. */
const BEGINNING = '{"type":"header",'

const NO_EXPORT = 'it is no export of this version; remove it'

/**
 * Opens a file to continue it after its last whole line; removes a line that was cut.
 * @returns undefined if the file is complete
 */
function reopen(file: string, filter: ExportFilter): Output | undefined {
  if (!existsSync(file)) return create(file)
  const fd = openSync(file, 'a+')
  try {
    const { size } = fstatSync(fd)
    const end = endOfLine(fd, size)
    if (end === 0 && !BEGINNING.startsWith(read(fd, 0, Math.min(size, BEGINNING.length)).toString()))
      throw new InboxNotResumable(file, NO_EXPORT)
    const start = end === 0 ? undefined : readStart(file, fd, end, filter)
    ftruncateSync(fd, end)
    if (end === 0 || start !== undefined) return { fd, ...(start && { start }) }
  } catch (error) {
    closeSync(fd)
    throw error
  }
  closeSync(fd)
  return undefined
}

const isSame = (one: ExportFilter, other: ExportFilter): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * Reads the header and the last line.
 * @returns undefined if the last line is the end
 * @throws InboxNotResumable if it is no export, or one with another filter
 */
function readStart(file: string, fd: number, end: number, filter: ExportFilter): Start | undefined {
  const last = parseLine(read(fd, endOfLine(fd, end - 1), end).toString())
  const header = parseLine(readFirstLine(fd, end).toString()) as Header | undefined
  if (header?.type !== 'header' || header.format !== FORMAT || last === undefined)
    throw new InboxNotResumable(file, NO_EXPORT)
  if (!isSame(header.filter, filter))
    throw new InboxNotResumable(file, 'it was begun with other options; give the same ones')
  if (last['type'] === 'end') return undefined
  const isHeader = last['type'] === 'header'
  const type = isHeader ? TYPES.find((one) => header.filter.types.includes(one))! : (last['type'] as LineType)
  if (!TYPES.includes(type)) throw new InboxNotResumable(file, 'its last line is of an unknown type; remove it')
  return { header, type, after: isHeader ? [] : keyOf(type).map((column) => last[column] as SQLInputValue) }
}

/** Returns the position after the last line break before a position. */
function endOfLine(fd: number, before: number): number {
  for (let to = before; to > 0; to -= BLOCK) {
    const from = Math.max(0, to - BLOCK)
    const at = read(fd, from, to).lastIndexOf('\n')
    if (at !== -1) return from + at + 1
  }
  return 0
}

/** The header names all projects, and so has no fixed length. */
function readFirstLine(fd: number, end: number): Buffer {
  for (let size = BLOCK; ; size *= 2) {
    const bytes = read(fd, 0, Math.min(size, end))
    const at = bytes.indexOf('\n')
    if (at !== -1) return bytes.subarray(0, at)
    if (size >= end) return bytes
  }
}

function read(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from)
  readSync(fd, bytes, 0, bytes.length, from)
  return bytes
}
