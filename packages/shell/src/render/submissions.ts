import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { isRedirect, Redirect } from '@hull/common/outcomes.ts'
import { FORM_TOKEN } from '../client/forms/form-fields.ts'
import { FormTokenMissing, FormTokenReused } from '../errors.ts'
import { isInvalid } from './check-page.ts'
import type { Effect, PageContext } from './page-context.ts'

/** Result of an accepted form: plain data, if the action passes plain data to `done(data)`. */
export interface Submission {
  /** Hash of the fields, the contents of files included. */
  fields: string
  /** Return value of the action. */
  result?: unknown
  redirect?: { to: string; permanent: boolean; replace: boolean; external: boolean }
  /** Cookies, headers and changes of the session. */
  effects: Effect[]
}

/** Stores the results of accepted forms by page, address and token. Several processes need a shared one. */
export interface SubmissionStore {
  get: (key: string) => Submission | undefined | Promise<Submission | undefined>
  set: (key: string, submission: Submission) => unknown
}

/** Accepted forms to remember. A guess: a day of a busy form. */
const MAX_SUBMISSIONS = 10_000

/** Milliseconds to remember an accepted form. A guess: a tab that is opened again the next morning. */
const SUBMISSION_TTL = 24 * 60 * 60 * 1000

/** Creates the default store, in the memory of this process. */
export const createSubmissionStore = (): SubmissionStore =>
  new LRUCache<string, Submission>({ max: MAX_SUBMISSIONS, ttl: SUBMISSION_TTL })

interface Running {
  fields: string
  ended: Promise<Submission>
}

/** Runs actions once for each address and form token. */
export class Submissions {
  readonly #store: SubmissionStore
  readonly #running = new Map<string, Running>()

  constructor(store: SubmissionStore) {
    this.#store = store
  }

  /**
   * Runs the action, or repeats the answer of an earlier request with the same token.
   * @throws FormTokenMissing, FormTokenReused, and what the action throws
   */
  async run(ctx: PageContext, file: string, action: () => unknown): Promise<unknown> {
    const token = ctx.form.get(FORM_TOKEN)
    if (typeof token !== 'string' || !TOKEN.test(token)) throw new FormTokenMissing()
    // A list may have a form with the same token for each of its entries.
    const address = createHash('sha256').update(`${ctx.pathname}?${ctx.search.toString()}`).digest('base64url')
    const key = `${file} ${address} ${token}`
    const fields = await hashOf(ctx.form)
    const earlier = this.#running.get(key)
    const running = earlier ?? this.#start(ctx, key, fields, action)
    if (running.fields !== fields) throw new FormTokenReused()
    let submission: Submission
    try {
      submission = await running.ended
    } catch (error) {
      // The earlier visitor's request was aborted; this one is not.
      if (earlier && (error as Error | undefined)?.name === 'AbortError') return this.run(ctx, file, action)
      throw error
    }
    if (submission.fields !== fields) throw new FormTokenReused()
    if (submission.effects !== ctx.effects) ctx.repeat(submission.effects)
    if (submission.redirect) throw new Redirect(submission.redirect.to, submission.redirect)
    return submission.result
  }

  #start(ctx: PageContext, key: string, fields: string, action: () => unknown): Running {
    const ended = this.#findOrRun(ctx, key, fields, action).finally(() => this.#running.delete(key))
    const running = { fields, ended }
    this.#running.set(key, running)
    return running
  }

  async #findOrRun(ctx: PageContext, key: string, fields: string, action: () => unknown): Promise<Submission> {
    const stored = await this.#store.get(key)
    if (stored) return stored
    const submission = await runAndRecord(ctx, fields, action)
    if (!isInvalid(submission.result)) await this.#store.set(key, submission)
    return submission
  }
}

async function runAndRecord(ctx: PageContext, fields: string, action: () => unknown): Promise<Submission> {
  const effects: Effect[] = (ctx.effects = [])
  try {
    return { fields, effects, result: await action() }
  } catch (error) {
    if (!isRedirect(error)) throw error
    const { to, permanent, replace, external } = error
    return { fields, effects, redirect: { to, permanent, replace, external } }
  }
}

/** Tokens of `ctx.formToken()`, and those that a program chooses. */
const TOKEN = /^[\w-]{16,64}$/

async function hashOf(form: FormData): Promise<string> {
  const entries = await Array.fromAsync(form, async ([name, value]) =>
    typeof value === 'string' ? [name, value] : [name, value.name, value.size, value.type, await hashFile(value)]
  )
  return createHash('sha256').update(JSON.stringify(entries)).digest('base64url')
}

/** Reads a file in pieces: an upload on disk may be large. */
async function hashFile(file: File): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of file.stream()) hash.update(piece)
  return hash.digest('base64url')
}
