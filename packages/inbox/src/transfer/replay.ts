import { statSync } from 'node:fs'
import { toProviderAddress } from '@hull/monitoring/delivery'
import { InboxCommandInvalid, InboxNotAnExport, InboxReplayIncomplete } from '../errors.ts'
import { FORMAT, parseLine, TYPES, type Header, type Line, type LineType } from './format.ts'
import { createProgress } from './progress.ts'
import { readLines, type FileLine } from './read-lines.ts'
import { addFailure, checkWritable, openState, saveState, type ReplayState } from './replay-state.ts'
import { createSender, type Outgoing, type Sender } from './send.ts'
import { toItems, type Sendable } from './to-items.ts'

export interface ReplayOptions {
  /** A file that `export` wrote. */
  file: string
  /** DSN of the receiver: a provider, or a project of an inbox. */
  dsn: string
  /** Types of lines to send. */
  types: readonly LineType[]
  /** Continues a replay that ended early. */
  resume: boolean
  /** Maximum milliseconds in which the receiver accepts nothing. */
  giveUp: number
}

/** Envelopes to send at the same time. The state is saved after them, so at most these are sent again. */
const BATCH = 16

/** Maximum items of an envelope, as SDKs send them. */
const MAX_ITEMS = 100

/** Types of small items, of which an envelope may have many. */
const SHARING = ['session', 'span']

/** The items or the log line of a line. */
type Found = Exclude<Sendable, { skipped: string }>

/**
 * Sends the lines of an export to the receiver of a DSN. Events keep their ids, so a receiver that has them already
 * does not count them twice.
 * @returns a sentence about the result
 * @throws InboxCommandInvalid @throws InboxNotAnExport @throws InboxNotResumable @throws InboxReplayBegun
 * @throws InboxReplayStopped @throws InboxReplayIncomplete
 */
export async function replayExport({ file, dsn, types, resume, giveUp }: ReplayOptions): Promise<string> {
  const to = toLabel(dsn)
  const header = await readHeader(file)
  const state = openState(file, header, { to, types, resume })
  const wasComplete = state.isComplete
  if (!wasComplete) {
    checkWritable(file)
    await sendRest(createSender({ dsn, giveUp }), file, state)
  }
  if (!state.isComplete || state.failed > 0)
    throw new InboxReplayIncomplete(`${describe(state)}. ${listProblems(state)}`)
  return `${wasComplete ? `${file} was sent to ${to} already` : `sent to ${to}`}: ${describe(state)}`
}

async function sendRest(sender: Sender, file: string, state: ReplayState): Promise<void> {
  const progress = createProgress('sent')
  const { size } = statSync(file)
  try {
    for await (const batch of readBatches(file, state)) {
      await Promise.all(batch.map((envelope) => sendOne(sender, envelope, state)))
      saveState(file, state)
      progress.update(state.sent, state.position / size)
    }
  } finally {
    progress.clear()
    await sender.close()
  }
}

function toLabel(dsn: string): string {
  try {
    return toProviderAddress(dsn).label
  } catch (error) {
    throw new InboxCommandInvalid(`--dsn is wrong: ${(error as Error).message}`)
  }
}

/** @throws InboxNotAnExport @throws InboxCommandInvalid if the file cannot be read */
async function readHeader(file: string): Promise<Header> {
  try {
    for await (const line of readLines(file, 0, 0)) {
      const header = parse(line) as Header | undefined
      if (header?.type !== 'header') break
      if (header.format > FORMAT) throw new InboxNotAnExport(file, 'a newer version of Hull wrote it')
      return header
    }
  } catch (error) {
    if (error instanceof InboxNotAnExport) throw error
    throw new InboxCommandInvalid(`${file} cannot be read: ${(error as Error).message}`)
  }
  throw new InboxNotAnExport(file, 'its first line is no header')
}

/** Yields envelopes, and moves the state forward to the lines that they have. */
async function* readBatches(file: string, state: ReplayState): AsyncGenerator<Outgoing[]> {
  let batch: Outgoing[] = []
  for await (const line of readLines(file, state.position, state.lines)) {
    // The export is to be continued, which writes the line again.
    if (!line.isWhole && parse(line)?.type !== 'end') break
    const found = read(line, state)
    if (found) add(batch, found, line.number)
    state.position = line.end
    state.lines = line.number
    if (batch.length >= BATCH) {
      yield batch
      batch = []
    }
  }
  yield batch
}

/** Returns the items of a line to send, or counts why there are none. */
function read(line: FileLine, state: ReplayState): Found | undefined {
  const parsed = parse(line)
  if (parsed?.type === 'header') return
  if (parsed?.type === 'end') {
    state.isComplete = true
    return
  }
  if (parsed && isLeftOut(parsed, state)) return skip(state, 'of other types')
  const found = parsed && convert(parsed)
  if (found === undefined) return addFailure(state, { line: line.number, why: 'it cannot be read' })
  if ('skipped' in found) return skip(state, found.skipped)
  return found
}

const isLeftOut = ({ type }: Line, { types }: ReplayState): boolean =>
  TYPES.some((one) => one === type) && !types.some((one) => one === type)

function skip(state: ReplayState, reason: string): undefined {
  state.skipped[reason] = (state.skipped[reason] ?? 0) + 1
}

const parse = ({ text }: FileLine): Line | undefined => parseLine(text ?? '')

function convert(line: Line): Sendable | undefined {
  try {
    return toItems(line)
  } catch {
    return undefined
  }
}

/** Adds the items of a line to the last envelope if both may share one, or in a new one. */
function add(batch: Outgoing[], found: Found, line: number): void {
  const last = batch.at(-1)
  if (last !== undefined && mayShare(last, found)) {
    if ('log' in found) last.logs!.push(found.log)
    else last.items.push(...found.items)
    last.lines.push(line)
  } else if ('log' in found) batch.push({ items: [], logs: [found.log], lines: [line] })
  else batch.push({ ...found, lines: [line] })
}

function mayShare({ items, logs, lines }: Outgoing, found: Found): boolean {
  if (lines.length >= MAX_ITEMS) return false
  if ('log' in found) return logs !== undefined
  const type = found.items[0]?.header.type
  return type !== undefined && SHARING.includes(type) && items[0]?.header.type === type
}

async function sendOne(sender: Sender, envelope: Outgoing, state: ReplayState): Promise<void> {
  const why = await sender.send(envelope)
  if (why === undefined) state.sent += envelope.lines.length
  else for (const line of envelope.lines) addFailure(state, { line, why: `the receiver ${why}` })
}

function describe({ sent, skipped, failed }: ReplayState): string {
  const others = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`)
  return [`${sent} lines sent`, `${failed} failed`, ...others].join(', ')
}

function listProblems({ isComplete, failed, failures }: ReplayState): string {
  const named = failures.map(({ line, why }) => `line ${line}: ${why}`)
  if (failed > failures.length) named.push(`and ${failed - failures.length} more`)
  if (!isComplete) named.push('the export is not complete: continue it with --resume, and this command too')
  return named.join('; ')
}
