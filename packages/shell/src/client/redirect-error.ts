/** The codes of the redirects that are not followed, explained in docs/errors.md. */
export type RedirectErrorCode = 'APP_REDIRECT_UNSAFE' | 'APP_REDIRECT_LOOP'

/** A redirect that the browser does not follow. Its name is its code, and so is the type of its event. */
export class RedirectError extends Error {
  override readonly name: RedirectErrorCode

  constructor(code: RedirectErrorCode, message: string) {
    super(message)
    this.name = code
  }
}

/** A redirect to another origin that was not asked for, or to what is no http address. */
export const createUnsafeRedirect = (to: string): RedirectError =>
  new RedirectError(
    'APP_REDIRECT_UNSAFE',
    `Redirect to ${to}: a path of this application, or http(s) with { external: true }`
  )

/** A redirect that would go on without end. */
export const createRedirectLoop = (to: string): RedirectError =>
  new RedirectError('APP_REDIRECT_LOOP', `Redirect to ${to}: it is part of a loop`)
