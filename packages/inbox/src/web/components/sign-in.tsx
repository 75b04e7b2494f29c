import type { ReactNode } from 'react'

/** Messages for an invalid name, and for one that is taken. */
export const NAME_ERROR = 'Enter a name of 1 to 60 visible characters.'
export const NAME_TAKEN_ERROR = 'This name is taken. Choose another.'

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
