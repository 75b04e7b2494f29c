import type { ActionCtx } from '../contracts/context.ts'
import { FORM_TOKEN } from './form-fields.ts'

export interface FormTokenProps {
  /** Token of `ctx.formToken()`, from the page's data. */
  value: string
}

/** Hidden field with the form's token. {@link once} uses it to recognise a form that is sent again. */
export function FormToken({ value }: FormTokenProps) {
  return <input type="hidden" name={FORM_TOKEN} value={value} />
}

/** The context of each page on the server. */
export interface OnceRunner {
  once: (run: () => unknown) => Promise<unknown>
}

/**
 * Runs an action once for each address and form token: a second click, a repeated request, or a form sent again after
 * going back receives what the first one did. An action that failed or refused the input runs again.
 * @throws FormTokenMissing APP_FORM_TOKEN_MISSING (400), FormTokenReused APP_FORM_TOKEN_REUSED (409) for other fields
 */
export function once<C extends Pick<ActionCtx, 'form'>, R>(action: (ctx: C) => R): (ctx: C) => Promise<Awaited<R>> {
  return (ctx) => (ctx as unknown as OnceRunner).once(() => action(ctx)) as Promise<Awaited<R>>
}
