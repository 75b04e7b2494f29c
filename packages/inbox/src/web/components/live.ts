import { useEffect, useRef } from 'react'
import { refresh } from '@hull/shell/client'
import type { LiveMessage } from '../view-models/live.ts'

type Listener = (message: LiveMessage) => void

/** Milliseconds for which the connection is kept when nobody listens. */
const LEAVE_PAUSE = 1_000

/** Milliseconds before it asks again after it was refused. */
const REFUSED_PAUSE = 60_000

const listeners = new Set<Listener>()
let source: EventSource | undefined
let isWatched = false

/** What may have happened while nobody listened: anything. */
const ANYTHING: LiveMessage = { issues: [], alerting: [], isCut: true }

/** One connection for the whole tab, as long as it is seen and somebody listens. */
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
    // The page that comes may listen too.
    setTimeout(connect, LEAVE_PAUSE)
  }
}

/** @returns whether it was connected anew */
function connect(): boolean {
  const isWanted = listeners.size > 0 && !document.hidden
  if (isWanted === (source !== undefined)) return false
  if (!isWanted) {
    source!.close()
    source = undefined
    return false
  }
  // What is shown was asked for after the document was: what happened since is told at once.
  const opened = (source = new EventSource(`/inbox/live?age=${Math.ceil(performance.now())}`))
  let hasBeenOpen = false
  opened.onopen = () => {
    if (hasBeenOpen) tell(ANYTHING)
    hasBeenOpen = true
  }
  // The browser comes back by itself when it was cut off, but not when it was refused.
  opened.onerror = () => {
    if (opened.readyState !== EventSource.CLOSED || source !== opened) return
    source = undefined
    setTimeout(connect, REFUSED_PAUSE)
  }
  opened.onmessage = ({ data }: MessageEvent<string>) => tell(JSON.parse(data) as LiveMessage)
  return true
}

const tell = (message: LiveMessage) => {
  for (const listener of listeners) listener(message)
}

/** Calls back for what happens, while the component stands and its tab is seen. */
export function useNews(listener: Listener): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => listen((message) => latest.current(message)), [])
}

/**
 * Asks for the page's data again when something has happened.
 * @param pause milliseconds between two times
 * @param issue the only one that matters. @default all
 */
export function useLive(pause: number, issue?: number): void {
  const state = useRef<{ timer?: ReturnType<typeof setTimeout>; last: number }>({ last: 0 })
  useNews(({ issues, isCut }) => {
    if (issue !== undefined && !isCut && !issues.includes(issue)) return
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
