import { useEffect, useRef } from 'react'
import { refresh, withBasePath } from '@hull/shell/client'
import type { News } from '../../../store/inbox.ts'
import { toBrowserTime, useLoadedAt } from './time.tsx'

type Listener = (message: News) => void

/** Milliseconds to keep the connection without a listener. */
const LEAVE_PAUSE = 1_000

/** Milliseconds before reconnecting after a refusal. */
const REFUSED_PAUSE = 60_000

const listeners = new Set<Listener>()
let source: EventSource | undefined
let isWatched = false

/** Time of the last message, from `performance.now()`. */
let lastNews = -Infinity

/** Used after a gap in the connection: anything may have happened. */
const ANYTHING: News = { issues: [], isCut: true }

/** One connection per tab, open while the tab is visible and something listens. */
function listen(listener: Listener): () => void {
  listeners.add(listener)
  if (!isWatched) {
    isWatched = true
    document.addEventListener('visibilitychange', () => {
      if (connect()) tell(ANYTHING)
    })
  }
  connect()
  return () => {
    listeners.delete(listener)
    // The next page may listen as well.
    setTimeout(connect, LEAVE_PAUSE)
  }
}

/** @returns whether a new connection was opened */
function connect(): boolean {
  const isWanted = listeners.size > 0 && !document.hidden
  if (isWanted === (source !== undefined)) return false
  if (!isWanted) {
    source!.close()
    source = undefined
    return false
  }
  // The page's data is newer than the document, so the server reports events since then at once.
  const opened = (source = new EventSource(withBasePath(`/inbox/live?age=${Math.ceil(performance.now())}`)))
  let hasBeenOpen = false
  opened.onopen = () => {
    if (hasBeenOpen) tell(ANYTHING)
    hasBeenOpen = true
  }
  // The browser reconnects by itself after a lost connection, but not after a refusal.
  opened.onerror = () => {
    if (opened.readyState !== EventSource.CLOSED || source !== opened) return
    source = undefined
    setTimeout(connect, REFUSED_PAUSE)
  }
  opened.onmessage = ({ data }: MessageEvent<string>) => tell(JSON.parse(data) as News)
  return true
}

const tell = (message: News) => {
  lastNews = performance.now()
  for (const listener of listeners) listener(message)
}

/** Calls back for each event while the component is mounted and its tab is visible. */
function useNews(listener: Listener): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => listen((message) => latest.current(message)), [])
  const loadedAt = useLoadedAt()
  useEffect(() => {
    // A page to which the visitor goes back has its earlier data, and other pages had the messages since then.
    if (lastNews > toBrowserTime(loadedAt)) latest.current(ANYTHING)
  }, [loadedAt])
}

/**
 * Loads the page's data again after an event.
 * @param pause minimum milliseconds between two loads
 * @param issue ignores events of other issues
 * @default all
 */
export function useLive(pause: number, issue?: number): void {
  useRefresh(pause, ({ issues }) => (issue === undefined ? issues.length > 0 : issues.includes(issue)))
}

/** Loads the page's data again after log lines were stored. @param pause minimum milliseconds between two loads */
export function useLiveLogs(pause: number): void {
  useRefresh(pause, ({ hasLogs }) => hasLogs === true)
}

function useRefresh(pause: number, isWanted: (message: News) => boolean): void {
  const state = useRef<{ timer?: ReturnType<typeof setTimeout>; last: number }>({ last: 0 })
  useNews((message) => {
    if (!message.isCut && !isWanted(message)) return
    const own = state.current
    own.timer ??= setTimeout(
      () => {
        own.timer = undefined
        own.last = performance.now()
        refresh()
      },
      Math.max(0, own.last + pause - performance.now())
    )
  })
  useEffect(() => {
    const own = state.current
    return () => clearTimeout(own.timer)
  }, [])
}
