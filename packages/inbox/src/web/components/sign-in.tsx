import type { ReactNode } from 'react'

/** Message for an invalid name. */
export const NAME_ERROR = 'Enter a name of 1 to 60 visible characters.'

/** Message for a new password that is too short. */
export const PASSWORD_ERROR = 'Enter a password of at least 15 characters.'

/** Hint of a field for a new password. */
export const PASSWORD_HINT = 'At least 15 characters, such as four words.'

/** Layout of the sign-in pages. */
export function SignInPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <article className="stack sign-in">
      <h1>{title}</h1>
      {children}
    </article>
  )
}
