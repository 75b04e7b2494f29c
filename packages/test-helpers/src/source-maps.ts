import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import type { Event, StackFrame } from '@sentry/core'
import type { Test } from 'tap'
import { openSeedStore } from '../../inbox/src/seed/index.ts'
import type { EventDetail, Frame } from '../../inbox/src/store/model.ts'
import type { SqliteStore } from '../../inbox/src/store/sqlite/sqlite-store.ts'
import { MAP_LIST, type MapEntry } from '../../common/src/source-map-list.ts'

/** An empty store in memory, closed with the test. */
export function openStore(t: Test): SqliteStore {
  const store = openSeedStore()
  t.teardown(() => store.close())
  return store
}

/** Generated column, source, source line, source column, name; all from 0. */
export type Segment = [column: number, source?: number, line?: number, column?: number, name?: number]

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Mappings in the order of the format: by generated line. */
export function encodeMappings(lines: readonly (readonly Segment[])[]): string {
  const last: number[] = [0, 0, 0, 0, 0]
  return lines
    .map((segments) => {
      last[0] = 0
      return segments
        .map((segment) =>
          segment
            .map((value, at) => {
              const text = encode(value! - last[at]!)
              last[at] = value!
              return text
            })
            .join('')
        )
        .join(',')
    })
    .join(';')
}

function encode(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1
  let text = ''
  do {
    const digit = rest & 31
    rest >>>= 5
    text += DIGITS[rest > 0 ? digit | 32 : digit]
  } while (rest > 0)
  return text
}

/** A folder as the build writes it, with these maps by the name of their file. Text is written unchanged. */
export function writeMaps(folder: string, maps: Record<string, object | string>): MapEntry[] {
  const list = Object.entries(maps).map(([file, map]): MapEntry => {
    const body = Buffer.from(typeof map === 'string' ? map : JSON.stringify(map))
    const to = join(folder, `${file}.map.zst`)
    mkdirSync(dirname(to), { recursive: true })
    const compressed = zstdCompressSync(body)
    writeFileSync(to, compressed)
    const debugId = hashOf(body).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
    return { file, debugId, size: body.length, hash: hashOf(compressed) }
  })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, MAP_LIST), JSON.stringify(list))
  return list
}

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** An event with these frames, innermost first. */
export const toDetail = (frames: Partial<Frame>[], rest: Partial<EventDetail> = {}): EventDetail => ({
  eventId: '0'.repeat(32),
  at: 0,
  level: 'error',
  side: 'browser',
  platform: 'javascript',
  exceptions: [
    { type: 'Error', value: 'of a test', frames: frames.map((frame) => ({ inApp: true, file: '', ...frame })) }
  ],
  environment: 'tests',
  tags: [],
  breadcrumbs: [],
  contexts: {},
  extra: {},
  ...rest
})

/** The frames of an event as an SDK sends it. */
export function fromEvent(event: Event): EventDetail {
  const exceptions = (event.exception?.values ?? []).map(({ type = '', value = '', stacktrace }) => ({
    type,
    value,
    frames: (stacktrace?.frames ?? []).map(fromFrame).toReversed()
  }))
  return {
    ...toDetail([]),
    exceptions,
    side: event.platform === 'javascript' ? 'browser' : 'server',
    release: event.release,
    url: event.request?.url
  }
}

const fromFrame = ({ filename = '', function: name, lineno, colno, in_app: inApp = true }: StackFrame): Frame => ({
  file: filename,
  function: name,
  line: lineno,
  column: colno,
  inApp
})
