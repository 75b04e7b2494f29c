import { PassThrough, type Readable } from 'node:stream'
import type { Inbox, News } from '../../store/inbox.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

/** Milliseconds during which events are collected into one message. */
const PAUSE = 1_000

/**
 * Milliseconds of silence before a comment is sent. Proxies and our own server close connections that are silent for a
 * minute.
 */
const HEARTBEAT = 20_000

/** Maximum issues to name in one message. */
const MAX_NAMED = 200

/** Maximum screens with live updates, per person and in total. Guesses: a few tabs of each member of a team. */
const MAX_OF_ONE = 12
const MAX_OF_ALL = 400

export interface LiveOptions {
  inbox: Pick<Inbox, 'onNews'>
  /** @default {@link PAUSE} */
  pause?: number
  /** @default {@link HEARTBEAT} */
  heartbeat?: number
}

/** Returns the issues that a person sees. */
type SelectIssues = (issues: number[]) => Promise<number[]>

interface Screen {
  stream: PassThrough
  person: number
  /** Whether the person may still read; checked with every heartbeat. */
  isWelcome: () => Promise<boolean>
  /** The issues that the person sees. @default all */
  select: SelectIssues | undefined
  /** The connection was too slow for an earlier message. */
  missed: boolean
}

export interface Live {
  /**
   * Live updates as `text/event-stream`, until the client disconnects, the person is signed out, or {@link close}.
   * @param age milliseconds since the screen requested its data; events since then are sent at once
   * @param select leaves out issues that the person does not see
   * @returns undefined if too many screens are connected
   */
  open: (person: number, isWelcome: () => Promise<boolean>, age?: number, select?: SelectIssues) => Readable | undefined
  /** Ends all streams, and accepts no more. */
  close: () => void
}

/** Sends events to open screens, at most once a second. */
export function createLive({ inbox, pause = PAUSE, heartbeat = HEARTBEAT }: LiveOptions): Live {
  const screens = new Set<Screen>()
  let issues = new Set<number>()
  let hasLogs = false
  let isCut = false
  let timer: NodeJS.Timeout | undefined
  let beat: NodeJS.Timeout | undefined
  let stop: (() => void) | undefined
  let isClosed = false
  /** Start of listening, and time of the last event. */
  let since = Infinity
  let last = -Infinity

  return {
    open(person, isWelcome, age = Infinity, select) {
      const own = [...screens].filter((screen) => screen.person === person)
      if (isClosed || own.length >= MAX_OF_ONE || screens.size >= MAX_OF_ALL) return undefined
      const screen: Screen = { stream: new PassThrough(), person, isWelcome, select, missed: false }
      screens.add(screen)
      screen.stream.once(
        'close',
        safeCallback(() => leave(screen))
      )
      // Confirms the connection to the browser. After a disconnect it reconnects after this number of milliseconds.
      screen.stream.write('retry: 3000\n\n')
      if (!stop) {
        stop = inbox.onNews(note)
        since = performance.now()
      }
      const requested = performance.now() - age
      if (since > requested || last > requested) screen.stream.write(toEvent({ issues: [], isCut: true }))
      beat ??= setInterval(safeCallback(beatAll), heartbeat).unref()
      return screen.stream
    },
    close() {
      isClosed = true
      stop?.()
      for (const { stream } of screens) stream.end()
    }
  }

  function leave(screen: Screen) {
    screens.delete(screen)
    if (screens.size > 0) return
    clearInterval(beat)
    clearTimeout(timer)
    beat = timer = undefined
    forgetNews()
  }

  function forgetNews() {
    issues = new Set()
    hasLogs = isCut = false
  }

  function note(news: News) {
    last = performance.now()
    if (screens.size === 0) return
    for (const id of news.issues) issues.add(id)
    hasLogs ||= news.hasLogs === true
    isCut ||= news.isCut === true
    timer ??= setTimeout(safeCallback(tell), pause).unref()
  }

  function tell() {
    timer = undefined
    const message: News = { issues: [...issues].slice(0, MAX_NAMED), ...(hasLogs && { hasLogs }) }
    if (isCut || issues.size > MAX_NAMED) message.isCut = true
    forgetNews()
    for (const screen of screens) {
      if (!screen.select) send(screen, message)
      else
        selectFor(screen.select, message).then(
          (selected) => selected && send(screen, selected),
          () => screen.stream.end()
        )
    }
  }

  function send(screen: Screen, message: News) {
    const { stream, missed } = screen
    if (stream.writableEnded) return
    screen.missed = stream.writableNeedDrain
    if (!screen.missed) stream.write(toEvent(missed ? { ...message, isCut: true } : message))
  }

  function beatAll() {
    for (const screen of screens) {
      const { stream, isWelcome } = screen
      isWelcome().then(
        (welcome) => {
          if (!welcome) stream.end()
          else if (!stream.writableEnded && !stream.writableNeedDrain) stream.write(':\n\n')
        },
        () => stream.end()
      )
    }
  }
}

/** The message without issues that the person does not see; undefined if nothing is left. */
async function selectFor(select: SelectIssues, message: News): Promise<News | undefined> {
  const seen = new Set(await select(message.issues))
  const issues = message.issues.filter((id) => seen.has(id))
  const isEmpty = issues.length === 0 && !message.hasLogs && !message.isCut
  return isEmpty ? undefined : { ...message, issues }
}

const toEvent = (message: News) => `data: ${JSON.stringify(message)}\n\n`
