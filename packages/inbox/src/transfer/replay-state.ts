import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { InboxCommandInvalid, InboxNotResumable, InboxReplayBegun, InboxReplayStopped } from '../errors.ts'
import type { Header, LineType } from './format.ts'

/** Why a line was not sent. */
export interface Failure {
  line: number
  why: string
}

/** Progress of a replay, in a file beside the export. */
export interface ReplayState {
  /** Host and project of the receiver. */
  to: string
  /** Time of the export. */
  export: number
  types: readonly LineType[]
  /** Bytes of the export whose lines were sent. */
  position: number
  /** Their number. */
  lines: number
  sent: number
  /** Lines that are not to be sent, by reason. */
  skipped: Record<string, number>
  failed: number
  /** The first of the failed lines. */
  failures: Failure[]
  isComplete: boolean
}

/** Maximum failures to remember. */
const MAX_FAILURES = 20

const fileOf = (file: string) => `${file}.replay.json`

/**
 * Returns the state of an earlier replay to continue, or a new one.
 * @throws InboxReplayBegun @throws InboxNotResumable
 */
export function openState(
  file: string,
  { at }: Header,
  { to, types, resume }: Pick<ReplayState, 'to' | 'types'> & { resume: boolean }
): ReplayState {
  const path = fileOf(file)
  if (!existsSync(path))
    return {
      to,
      export: at,
      types,
      position: 0,
      lines: 0,
      sent: 0,
      skipped: {},
      failed: 0,
      failures: [],
      isComplete: false
    }
  const state = parse(path)
  if (state?.export !== at) throw new InboxNotResumable(path, 'it belongs to another export; remove it')
  if (state.to !== to) throw new InboxNotResumable(path, `it is of a replay to ${state.to}; remove it`)
  if (state.types.join() !== types.join())
    throw new InboxNotResumable(path, 'it was begun with other types; give the same ones, or remove it')
  if (!resume && !state.isComplete) throw new InboxReplayBegun(path)
  return state
}

function parse(path: string): ReplayState | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ReplayState
  } catch {
    return undefined
  }
}

/** Checks that the state can be saved before anything is sent. @throws InboxCommandInvalid */
export function checkWritable(file: string): void {
  const draft = `${fileOf(file)}.new`
  try {
    writeFileSync(draft, '', { mode: 0o600 })
    rmSync(draft)
  } catch (error) {
    throw new InboxCommandInvalid(
      `the position cannot be noted beside the export: ${(error as Error).message}. Copy the export to another folder`
    )
  }
}

/** Replaces the file, so that a process that ends leaves the old or the new state. @throws InboxReplayStopped */
export function saveState(file: string, state: ReplayState): void {
  const path = fileOf(file)
  try {
    writeFileSync(`${path}.new`, JSON.stringify(state), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  } catch (error) {
    throw new InboxReplayStopped(`the position cannot be noted: ${(error as Error).message}`)
  }
}

export function addFailure(state: ReplayState, failure: Failure): undefined {
  state.failed += 1
  if (state.failures.length < MAX_FAILURES) state.failures.push(failure)
}
