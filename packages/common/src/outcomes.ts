import type { Href } from './href.ts'

/*
 * Outcomes of a page other than data, which a guard, getData, an action or a component may throw. They are recognised by
 * their `name`, never by `instanceof`: the server and the page bundle each load this file, so one process has two classes
 * of the same name.
 */

/** A 401, 403 or 404 shown in place of the page. */
export interface PageOutcome {
  status: OutcomeStatus
  code: string
  message: string
  /** Address of the sign-in page, which returns here. Only with 401. */
  signInHref?: string
}

export interface RedirectOptions {
  /**
   * Answers a GET with 308 instead of 302: search engines list the target instead. Browsers do not store it, so that you
   * can take it back.
   * @default false
   */
  permanent?: boolean
  /** On a client-side navigation, replaces the history entry instead of adding one. @default false */
  replace?: boolean
  /** Allows another origin (http or https). Without it, such a redirect is APP_REDIRECT_UNSAFE. @default false */
  external?: boolean
}

/** Thrown by {@link redirect}. */
export class Redirect extends Error {
  override readonly name = 'Redirect'
  readonly to: string
  readonly permanent: boolean
  readonly replace: boolean
  readonly external: boolean

  constructor(to: string, { permanent = false, replace = false, external = false }: RedirectOptions = {}) {
    super(`redirect to ${to}`)
    this.to = to
    this.permanent = permanent
    this.replace = replace
    this.external = external
  }
}

/** Statuses that have a fallback. */
export type OutcomeStatus = 401 | 403 | 404

/** Stable code of each fallback, the same in problem+json, in the payload and in docs/errors.md. */
export const OUTCOME_CODES = {
  401: 'APP_UNAUTHORIZED',
  403: 'APP_FORBIDDEN',
  404: 'APP_NOT_FOUND'
} as const satisfies Record<OutcomeStatus, string>

/** Title of the document, or of the tab after a navigation, that shows a fallback. */
export const OUTCOME_TITLES = {
  401: 'Sign in',
  403: 'Not allowed',
  404: 'Not found'
} as const satisfies Record<OutcomeStatus, string>

/** Title of a page that shows an error. */
export const ERROR_TITLE = 'Application error'

const OUTCOME_MESSAGES = {
  401: 'Sign in to see this page.',
  403: 'Permission denied: this page is not open to you.',
  404: 'There is no page at this address.'
} as const satisfies Record<OutcomeStatus, string>

export interface UnauthorizedOptions {
  /** Path of the sign-in page. @default SIGN_IN_PATH */
  signInPath?: string
}

/** Thrown by {@link notFound}, {@link forbidden} and {@link unauthorized}. Its message is shown to the visitor. */
export class Outcome extends Error {
  override readonly name = 'Outcome'
  readonly statusCode: OutcomeStatus
  readonly code: string
  readonly signInPath: string | undefined

  constructor(
    statusCode: OutcomeStatus,
    message: string = OUTCOME_MESSAGES[statusCode],
    { signInPath }: UnauthorizedOptions = {}
  ) {
    super(message)
    this.statusCode = statusCode
    this.code = OUTCOME_CODES[statusCode]
    this.signInPath = signInPath
  }
}

/** Ends the page with 404. `message` is shown to the visitor. @throws Outcome always */
export function notFound(message?: string): never {
  throw new Outcome(404, message)
}

/** Ends the page with 403. `message` is shown to the visitor. @throws Outcome always */
export function forbidden(message?: string): never {
  throw new Outcome(403, message)
}

/** Ends the page with 401. `message` is shown to the visitor. @throws Outcome always */
export function unauthorized(message?: string, options?: UnauthorizedOptions): never {
  throw new Outcome(401, message, options)
}

/**
 * Ends the page with a redirect: 302 for a GET (308 if permanent), 303 after an action.
 * @param to a path of this application, a query or hash of the page, or another http or https origin with `external`
 * @throws Redirect always
 */
export function redirect(to: Href, options?: RedirectOptions): never {
  throw new Redirect(to, options)
}

/**
 * Converts an outcome for the browser.
 * @param signInPath path of the sign-in page, unless the outcome names another one; undefined if nobody can sign in
 * @param address path and query of the page to return to
 */
export function toPageOutcome(
  { statusCode: status, code, message, signInPath: named }: Outcome,
  signInPath?: string,
  address = '/'
): PageOutcome {
  const outcome: PageOutcome = { status, code, message }
  const path = named ?? signInPath
  if (status === 401 && path) outcome.signInHref = `${path}?return=${encodeURIComponent(address)}`
  return outcome
}

/** Whether `error` was thrown by {@link redirect}, in either copy of this file. */
export function isRedirect(error: unknown): error is Redirect {
  return isNamed(error, 'Redirect') && 'to' in error
}

/** Whether `error` was thrown by notFound, forbidden or unauthorized, in either copy of this file. */
export function isOutcome(error: unknown): error is Outcome {
  return isNamed(error, 'Outcome') && 'statusCode' in error
}

/** Reads the name safely, because any value may be thrown and reading it may throw. */
function isNamed(error: unknown, name: string): error is Error {
  try {
    return error instanceof Error && error.name === name
  } catch {
    return false
  }
}
