import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { z } from 'zod'
import { InboxCommandInvalid } from '../errors.ts'
import { exportInbox } from '../transfer/export.ts'
import { replayExport } from '../transfer/replay.ts'
import { TYPES, type LineType } from '../transfer/format.ts'

const EXPORT_USAGE =
  'hull-inbox export [FILE] [--project=ID] [--since=TIME] [--until=TIME] [--types=TYPE,TYPE] [--skip-attachments] [--resume]'

/** Runs `hull-inbox export`. @throws InboxCommandInvalid, and the errors of {@link exportInbox} */
export function runExport(inbox: string, args: readonly string[]): Promise<string> {
  const { values, file } = read(args, EXPORT_USAGE, {
    project: { type: 'string' },
    since: { type: 'string' },
    until: { type: 'string' },
    types: { type: 'string' },
    'skip-attachments': { type: 'boolean' },
    resume: { type: 'boolean' }
  })
  if (values.resume && file === undefined) throw new InboxCommandInvalid('--resume needs the file to continue')
  const types = toTypes(values.types).filter((type) => type !== 'attachment' || !values['skip-attachments'])
  return exportInbox({
    inbox,
    file,
    filter: {
      project: toNumber('project', values.project) ?? null,
      since: toTime('since', values.since),
      until: toTime('until', values.until),
      types
    },
    resume: values.resume === true
  })
}

const REPLAY_USAGE = 'hull-inbox replay FILE --dsn=DSN [--types=TYPE,TYPE] [--give-up=SECONDS] [--resume]'

/** Seconds without an accepted envelope after which a replay ends. A guess: longer than a restart of a receiver. */
const GIVE_UP = 600

/** Runs `hull-inbox replay`. @throws InboxCommandInvalid, and the errors of {@link replayExport} */
export function runReplay(args: readonly string[]): Promise<string> {
  const { values, file } = read(args, REPLAY_USAGE, {
    dsn: { type: 'string' },
    types: { type: 'string' },
    'give-up': { type: 'string' },
    resume: { type: 'boolean' }
  })
  if (file === undefined || values.dsn === undefined)
    throw new InboxCommandInvalid(`name a file and a DSN\n${REPLAY_USAGE}`)
  return replayExport({
    file,
    dsn: values.dsn,
    types: toTypes(values.types),
    resume: values.resume === true,
    giveUp: (toNumber('give-up', values['give-up']) ?? GIVE_UP) * 1_000
  })
}

function read<T extends ParseArgsOptionsConfig>(args: readonly string[], usage: string, options: T) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    if (positionals.length > 1) throw new Error(`name one file, not ${positionals.length}`)
    return { values, file: positionals[0] }
  } catch (error) {
    throw new InboxCommandInvalid(`${(error as Error).message}\n${usage}`)
  }
}

function toNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw new InboxCommandInvalid(`--${name}=${text} is no number`)
  return Number(text)
}

/** A day of UTC, or a time with its zone: without one, it would depend on the machine. */
const Time = z.union([z.iso.date(), z.iso.datetime({ offset: true })])

function toTime(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  if (!Time.safeParse(text).success)
    throw new InboxCommandInvalid(`--${name}=${text} is no time: write 2026-11-01, or 2026-11-01T14:00:00Z`)
  return Date.parse(text)
}

function toTypes(text: string | undefined): readonly LineType[] {
  if (text === undefined) return TYPES
  const names = text.split(',')
  const unknown = names.find((name) => !(TYPES as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw new InboxCommandInvalid(`there is no type "${unknown}". There are: ${TYPES.join(', ')}`)
  return TYPES.filter((type) => names.includes(type))
}
