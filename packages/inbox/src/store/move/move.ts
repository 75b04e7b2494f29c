import { hash, randomUUID } from 'node:crypto'
import { isCorrupt } from '@hull/common/sqlite-file.ts'
import { InboxCommandInvalid } from '../../errors.ts'
import { OWN_PROJECT } from '../model.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { NewerStore } from '../newer-store.ts'
import { UnusableDatabase } from '../postgres/open.ts'
import { PostgresError } from '../postgres/postgres-error.ts'
import type { StorePlace } from '../reader.ts'
import { isStorageError } from '../store-errors.ts'
import type { Store } from '../store.ts'
import { readSetting, writeSetting, type Move } from '../stored-settings.ts'
import { PostgresSide } from './postgres-side.ts'
import type { Side } from './side.ts'
import { SqliteSide } from './sqlite-side.ts'
import {
  computeChecksum,
  countUnmovable,
  hasRows,
  insertChunk,
  listTables,
  readChunks,
  type Chunk,
  type MovedTable
} from './tables.ts'

export interface MoveOptions extends StorePlace {
  /** Whether to copy the database to a new file. @default the file is copied to the database */
  back?: boolean
  /** Receives a line about the progress every few seconds. */
  report: Report
}

type Report = (line: string) => void

/** Milliseconds between lines about the progress. */
const REPORT_INTERVAL = 5_000

/** Tables with rows that a server writes when it starts on an empty store. */
const OF_A_START = new Set(['setting', 'project', 'release', 'source_map', 'source_map_file'])

interface Sides {
  source: Side
  target: Side
  /** Identifies the inbox of the source. */
  id: string
}

interface Run extends Omit<Sides, 'id'> {
  move: Move
  tables: readonly MovedTable[]
  report: Report
  /** Reports a line, but only some seconds after the last one. */
  reportSometimes: Report
}

/**
 * Copies the inbox from its file to an empty database, or back, and compares the checksums of all tables. The source is
 * not changed. No server may use either. A move that was interrupted goes on with the same call.
 * @returns the result in a sentence
 * @throws InboxCommandInvalid with a sentence for the user
 */
export function moveInbox({ report, ...options }: MoveOptions): string {
  let sides: Sides | undefined
  try {
    sides = openSides(options)
    return move(sides, report)
  } catch (error) {
    if (error instanceof InboxCommandInvalid) throw error
    if (isCorrupt(error))
      throw new InboxCommandInvalid(`the inbox is damaged: ${(error as Error).message}`, { cause: error })
    if (!(error instanceof PostgresError) && !isStorageError(error)) throw error
    throw new InboxCommandInvalid(
      `copying was interrupted: ${(error as Error).message}. Run the command again: it goes on where it was`,
      { cause: error }
    )
  } finally {
    sides?.source.close()
    sides?.target.close()
  }
}

function openSides({ file, database, back = false }: Omit<MoveOptions, 'report'>): Sides {
  if (database === undefined)
    throw new InboxCommandInvalid(
      'set DATABASE_URL to the address of the database, such as postgresql://user:password@db/hull'
    )
  const source = back ? openDatabase(database, 'source') : SqliteSide.openSource(file)
  try {
    const id = identify(source)
    return { source, target: back ? SqliteSide.openTarget(file) : openDatabase(database, 'target'), id }
  } catch (error) {
    source.close()
    throw error
  }
}

function openDatabase(url: string, role: 'source' | 'target'): Side {
  try {
    return new PostgresSide(url, role)
  } catch (error) {
    if (error instanceof UnusableDatabase || error instanceof NewerStore)
      throw new InboxCommandInvalid(error.message, { cause: error })
    if (!(error instanceof PostgresError)) throw error
    throw new InboxCommandInvalid(`the database of DATABASE_URL cannot be used: ${error.message}`, { cause: error })
  }
}

function move({ source, target, id }: Sides, report: Report): string {
  const tables = listTables()
  const found = findMove(target, id, tables)
  if (found?.finished !== undefined) {
    target.complete()
    return `nothing to do: the inbox was copied to ${target.place} at ${new Date(found.finished).toISOString()}. To copy it once more, ${target.remedy}`
  }
  const reportSometimes = throttle(report)
  const run: Run = { source, target, move: found ?? begin(target, id), tables, report, reportSometimes }
  if (found) report(`going on after ${format(count(found).rows)} rows`)
  target.stopTriggers()
  copyTables(run)
  verify(run)
  finish(run)
  const { rows, changed } = count(run.move)
  const leftOut = tables.reduce((total, table) => total + countUnmovable(source.store, table), 0)
  const result = `${source.place} is copied to ${target.place}: ${format(rows)} rows of ${tables.length} tables, with equal checksums`
  return [
    result,
    changed > 0 &&
      `${format(changed)} of them had NUL characters, which are now U+FFFD, or fractions, which are rounded`,
    leftOut > 0 &&
      `${format(leftOut)} rows were left out: ${target.place} cannot store their numbers or their long tags`
  ]
    .filter((sentence) => sentence !== false)
    .join('. ')
}

/** Identifies an inbox by its first project, and by the move that filled it. @throws InboxCommandInvalid if there is none */
function identify({ store, place }: Side): string {
  const sql = 'SELECT key, created FROM project WHERE id = ?'
  const project = store.get<{ key: string; created: number }>(sql, OWN_PROJECT)
  if (project === undefined) throw new InboxCommandInvalid(`there is no inbox in ${place}: it has no project`)
  return hash('sha256', JSON.stringify([project.key, project.created, readSetting(store, 'move')?.id]))
}

/**
 * @returns the move of this source to the target; undefined if the target is empty
 * @throws InboxCommandInvalid if the target has other data
 */
function findMove({ store, place, remedy }: Side, source: string, tables: readonly MovedTable[]): Move | undefined {
  const found = readSetting(store, 'move')
  if (found === undefined) {
    const filled = tables.find((table) => !OF_A_START.has(table.name) && hasRows(store, table))
    if (!filled && store.get('SELECT id FROM project WHERE id <> ?', OWN_PROJECT) === undefined) return undefined
    throw new InboxCommandInvalid(`${place} has an inbox already, and two inboxes cannot become one: ${remedy}`)
  }
  if (found.source !== source)
    throw new InboxCommandInvalid(
      `another inbox ${found.finished === undefined ? 'is being' : 'was'} copied to ${place}, and two inboxes cannot become one: ${remedy}`
    )
  if (found.finished === undefined && found.schema !== MIGRATIONS.length)
    throw new InboxCommandInvalid(`another version of Hull began to copy the inbox to ${place}: ${remedy}`)
  return found
}

function begin(target: Side, source: string): Move {
  const begun: Move = { id: randomUUID(), source, schema: MIGRATIONS.length, tables: {} }
  target.store.transaction(() => {
    for (const table of OF_A_START) target.empty(table)
    writeSetting(target.store, 'move', begun)
  })
  return begun
}

/** Copies the rows that are not copied yet. */
function copyTables({ source, target, move, tables, reportSometimes }: Run): void {
  for (const table of tables) {
    for (const chunk of readChunks(source.store, table, move.tables[table.name]?.after)) {
      const { rows, changed } = move.tables[table.name] ?? { rows: 0, changed: 0 }
      move.tables[table.name] = {
        rows: rows + chunk.rows.length,
        changed: changed + chunk.changed,
        after: chunk.last
      }
      copyChunk(target.store, table, chunk, move)
      reportSometimes(`${format(count(move).rows)} rows are copied, the last of ${table.name}`)
    }
  }
}

/** @throws InboxCommandInvalid if the target does not take a row */
function copyChunk(store: Store, table: MovedTable, chunk: Chunk, move: Move): void {
  try {
    store.transaction(() => {
      insertChunk(store, table, chunk)
      writeSetting(store, 'move', move)
    })
  } catch (error) {
    if (isStorageError(error)) throw error
    throw new InboxCommandInvalid(`a row of ${table.name} cannot be copied: ${(error as Error).message}`, {
      cause: error
    })
  }
}

/**
 * Compares the checksums of all tables. Removes the rows of tables that differ, so that the next call copies them again.
 * @throws InboxCommandInvalid if tables differ
 */
function verify({ source, target, move, tables, report, reportSometimes }: Run): void {
  report(`${format(count(move).rows)} rows are copied; comparing checksums`)
  const different = tables.filter((table) => {
    reportSometimes(`comparing checksums of ${table.name}`)
    const [from, to] = [source, target].map(({ store }) => computeChecksum(store, table))
    return from!.rows !== to!.rows || from!.sum !== to!.sum
  })
  if (different.length === 0) return
  target.store.transaction(() => {
    for (const { name } of different) {
      target.empty(name)
      delete move.tables[name]
    }
    writeSetting(target.store, 'move', move)
  })
  const names = different.map(({ name }) => name).join(', ')
  throw new InboxCommandInvalid(
    `${names}: the rows differ, because a server wrote them in the meantime. Stop all servers and run the command again: it copies these tables again`
  )
}

function finish({ source, target, move, tables }: Run): void {
  const lastIds = source.readLastIds(tables.filter(({ hasId }) => hasId).map(({ name }) => name))
  target.store.transaction(() => {
    target.raiseLastIds(lastIds)
    target.startTriggers()
    writeSetting(target.store, 'move', { ...move, finished: Date.now() })
  })
  target.complete()
}

function count({ tables }: Move): { rows: number; changed: number } {
  const all = Object.values(tables)
  const sum = (name: 'rows' | 'changed') => all.reduce((total, table) => total + table[name], 0)
  return { rows: sum('rows'), changed: sum('changed') }
}

function throttle(report: Report): Report {
  let reportedAt = performance.now()
  return (line) => {
    if (performance.now() < reportedAt + REPORT_INTERVAL) return
    reportedAt = performance.now()
    report(line)
  }
}

const format = (number: number): string => number.toLocaleString('en')
