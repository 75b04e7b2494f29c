import { useEffect, useEffectEvent, useLayoutEffect, useReducer, useState } from 'react'
import { withoutBasePath } from '../base-path.ts'
import { isPostedHere } from '../forms/form-submission.ts'
import { setLeaveGuard, type LeaveGuard } from './leave-guard.ts'
import { onNavigation } from './navigation-state.ts'

export interface BlockerOptions {
  /**
   * Question of the browser's own dialog. With `false`, there is no dialog: the navigation waits until the component
   * calls `proceed` or `reset`.
   * @default 'Leave this page? Your changes are not saved.'
   */
  confirm?: string | false
}

/** Return value of {@link useBlocker}. */
export interface Blocker {
  /** `blocked`: a navigation waits for an answer. Only with `confirm: false`. */
  state: 'unblocked' | 'blocked'
  /** Path, query and hash of the page that waits. */
  to?: string
  /** Continues the navigation that waits. */
  proceed: () => void
  /** Discards the navigation that waits: the visitor stays. */
  reset: () => void
}

interface Held {
  to: string
  proceed: () => void
}

/** Milliseconds after which a navigation no longer waits for pending state, such as that of a component that suspends. */
const UPDATE_LIMIT = 100

const QUESTION = 'Leave this page? Your changes are not saved.'

interface MountedGuard {
  holds: LeaveGuard
  /** Renders the component, together with its pending state. */
  render: () => void
}

/** Guards of the mounted components, the newest last. */
const guards: MountedGuard[] = []

/** A navigation that waits until a component is rendered. */
let delayed: (() => void) | undefined

/** True after the visitor agreed to leave, or sent a form, until the navigation ends or loads a document. */
let isLeaving = false

/**
 * Asks the visitor before another page replaces this one: after a click on a link, a GET form, `navigate()`, or back and
 * forward. If the visitor stays, the history is as before. The browser asks in its own words before the document is
 * closed, reloaded or replaced. A form that is posted is not held, because it usually saves the input.
 * @param isBlocking whether something would be lost
 */
export function useBlocker(isBlocking: boolean, { confirm = QUESTION }: BlockerOptions = {}): Blocker {
  const [held, setHeld] = useState<Held>()
  const [, render] = useReducer((count: number) => count + 1, 0)

  const holds = useEffectEvent<LeaveGuard>((url, proceed) => {
    const { pathname, search, hash } = url
    if (confirm === false) setHeld({ to: (withoutBasePath(pathname) ?? pathname) + search + hash, proceed })
    else isLeaving = window.confirm(confirm)
    return !isLeaving
  })

  // In the commit that shows or removes the component: a page that was left must not ask.
  useLayoutEffect(
    () => (isBlocking ? addGuard({ holds: (url, proceed) => holds(url, proceed), render }) : undefined),
    [isBlocking]
  )
  useEffect(startDelayed)
  // The state may remove the component.
  useEffect(() => startDelayed, [])

  return {
    state: held ? 'blocked' : 'unblocked',
    to: held?.to,
    proceed() {
      setHeld(undefined)
      if (!held) return
      isLeaving = true
      held.proceed()
    },
    reset: () => setHeld(undefined)
  }
}

/** @returns function that removes the guard */
function addGuard(guard: MountedGuard): () => void {
  if (guards.push(guard) === 1) listen()
  return () => {
    guards.splice(guards.indexOf(guard), 1)
    if (guards.length === 0) stop?.()
  }
}

function startDelayed(): void {
  const run = delayed
  delayed = undefined
  run?.()
}

let stop: (() => void) | undefined

function listen() {
  isLeaving = false
  setLeaveGuard({
    holds: (url, proceed) => !isLeaving && guards.at(-1)!.holds(url, proceed),
    accept() {
      isLeaving = true
    },
    afterUpdates(run) {
      delayed = run
      guards.at(-1)!.render()
      setTimeout(startDelayed, UPDATE_LIMIT)
    }
  })
  // Only while something would be lost: some browsers keep no page in memory that listens to this event.
  addEventListener('beforeunload', askBeforeUnload)
  document.addEventListener('submit', leaveByForm)
  const unsubscribe = onNavigation(({ state }) => {
    if (state === 'submitting') isLeaving = true
    else if (state === 'idle') isLeaving = false
  })
  stop = () => {
    setLeaveGuard()
    removeEventListener('beforeunload', askBeforeUnload)
    document.removeEventListener('submit', leaveByForm)
    unsubscribe()
  }
}

function askBeforeUnload(event: BeforeUnloadEvent) {
  if (!isLeaving) {
    event.preventDefault()
    // Chrome before 119 reads this value only.
    event.returnValue = true
  }
  // A download leaves this page shown.
  isLeaving = false
}

/** A form that the browser posts itself. */
function leaveByForm({ target, submitter, defaultPrevented }: SubmitEvent) {
  if (!defaultPrevented && isPostedHere(target as HTMLFormElement, submitter)) isLeaving = true
}
