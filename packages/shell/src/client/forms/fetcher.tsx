import { type ComponentProps, type ReactElement, useEffect, useState, useSyncExternalStore } from 'react'
import type { DoneOf, FormStateOf } from '../contracts/form.ts'
import { withBasePath } from '../base-path.ts'
import { expire, followAnswer, resolveLink, shownAddress } from '../navigation/navigate.ts'
import { type Answer, requestPage } from '../page-data/page-data.ts'
import { readFormSubmission } from './form-submission.ts'

/** A fetcher's request failed. */
export class FetcherError extends Error {
  override readonly name = 'FetcherError'
  /** Status of the response; undefined without a response. */
  readonly status: number | undefined
  /** Identifies the error in the server's log. */
  readonly digest: string | undefined

  constructor(message: string, { status, digest }: { status?: number; digest?: string } = {}) {
    super(message)
    this.status = status
    this.digest = digest
  }
}

interface FetcherState<Action> {
  /** `submitting`: the action runs. `loading`: it has succeeded, and the page's data is being requested again. */
  state: 'idle' | 'submitting' | 'loading'
  /** Sent fields, until the page shows their effect. */
  formData?: FormData
  /** Data of `done(data)` after the last success. */
  data?: DoneOf<Action>
  /** Errors and values if the action refused the last input. */
  form?: FormStateOf<Action>
  /** Failure of the last request. */
  error?: FetcherError
}

export interface FetcherSubmitOptions {
  /** Address of the page whose action runs. @default the current page */
  action?: string
}

/** Return value of {@link useFetcher}. */
export interface Fetcher<Action> extends FetcherState<Action> {
  /** A form that is sent without leaving the page. Without JavaScript it is sent as any other form. */
  Form: (props: ComponentProps<'form'>) => ReactElement
  /**
   * Runs an action with these fields. Resolves when the fetcher is idle, and never rejects.
   * @throws TypeError if `action` is no address, or one on another origin
   */
  submit: (fields: FormData | Record<string, string>, options?: FetcherSubmitOptions) => Promise<void>
  /** Stops waiting for the response. The action may have run. */
  abort: () => void
}

/**
 * Runs a page's action without a navigation. Each call of the hook has a state of its own, so several can run at once.
 * A further submission replaces the pending one. If the component is removed, the request continues, and its success
 * still renews the page data; only a redirect is not followed.
 * @typeParam Action `typeof action` of the page
 */
export function useFetcher<Action = undefined>(): Fetcher<Action> {
  const [fetcher] = useState(createFetcher<Action>)
  const state = useSyncExternalStore(fetcher.subscribe, fetcher.read, fetcher.read)
  useEffect(() => fetcher.mount(), [fetcher])
  const { Form, submit, abort } = fetcher
  return { ...state, Form, submit, abort }
}

const IDLE = { state: 'idle' } as const

function createFetcher<Action>() {
  let current: FetcherState<Action> = IDLE
  let pending: AbortController | undefined
  let isMounted = false
  const listeners = new Set<() => void>()

  const set = (next: FetcherState<Action>) => {
    current = next
    for (const listener of listeners) listener()
  }

  async function send(url: URL, body: FormData | URLSearchParams, formData: FormData) {
    const replaces = pending !== undefined
    pending?.abort()
    const own = (pending = new AbortController())
    const { signal } = own
    const sentAt = performance.now()
    set({ ...current, state: 'submitting', formData, error: undefined })
    let end: FetcherState<Action>
    try {
      const answer = await requestPage({ path: url.pathname + url.search, body, signal, isFetcher: true })
      end = await take(answer, sentAt, (data) => pending === own && set({ state: 'loading', formData, data }))
    } catch (error) {
      end = fail(new FetcherError('The form could not be sent. Check the connection and try again.'))
      if (signal.aborted) return
      console.warn(error)
    }
    if (pending !== own) return
    pending = undefined
    set(end)
    // The action of the replaced submission may have run, and only a success renews the page.
    if (replaces && (end.form || end.error)) void expire()
  }

  /** Forgets page data: the action may have run, also if nobody waits for it. */
  function fail(error: FetcherError): FetcherState<Action> {
    void expire([])
    return { state: 'idle', error }
  }

  async function take(
    answer: Answer,
    sentAt: number,
    onLoading: (data: DoneOf<Action>) => void
  ): Promise<FetcherState<Action>> {
    if (answer.kind === 'redirect') {
      await expire([])
      if (isMounted) followAnswer(answer.to, answer.replace, sentAt)
      return IDLE
    }
    const { status } = answer
    if (answer.kind === 'unknown') {
      const { detail = `The server answered ${status}.`, digest } = answer
      return fail(new FetcherError(detail, { status, digest }))
    }
    const { outcome, error, form, refresh } = answer.payload
    if (outcome) return { state: 'idle', error: new FetcherError(outcome.message, { status }) }
    if (error) return fail(new FetcherError('The server failed.', { status, digest: error.digest }))
    if (form) return { state: 'idle', form: form as FormStateOf<Action> }
    const data = answer.payload.data as DoneOf<Action>
    onLoading(data)
    if (refresh !== 'none') await expire(refresh === 'page' ? undefined : refresh)
    return { state: 'idle', data }
  }

  return {
    read: () => current,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    mount() {
      isMounted = true
      return () => {
        isMounted = false
      }
    },
    abort() {
      if (!pending) return
      pending.abort()
      pending = undefined
      set(IDLE)
    },
    submit(fields: FormData | Record<string, string>, { action = shownAddress() }: FetcherSubmitOptions = {}) {
      const formData = fields instanceof FormData ? fields : toFormData(fields)
      const url = resolveLink(withBasePath(action))
      if (url.origin !== location.origin) throw new TypeError(`A fetcher cannot send to ${url.origin}`)
      return send(url, formData, formData)
    },
    Form({ onSubmit, ...props }: ComponentProps<'form'>) {
      return (
        <form
          method="post"
          {...props}
          onSubmit={(event) => {
            onSubmit?.(event)
            // Not of another form, such as one in a portal: React passes its event to the components around it.
            if (event.defaultPrevented || event.target !== event.currentTarget) return
            const { submitter } = event.nativeEvent as SubmitEvent
            const submission = readFormSubmission(event.currentTarget, submitter)
            if (!submission?.body) return
            event.preventDefault()
            void send(submission.url, submission.body, submission.formData)
          }}
        />
      )
    }
  }
}

function toFormData(fields: Record<string, string>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}
