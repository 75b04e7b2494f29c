import type { ReactNode } from 'react'

/** What is said of a name that is none, or somebody else's. */
export const NAME_ERROR = 'Enter a name of 1 to 60 visible characters.'
export const NAME_TAKEN_ERROR = 'This name is taken. Choose another.'

/** A page on the way into the inbox. */
export function SignInPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <article className="stack sign-in">
      <h1>{title}</h1>
      {children}
    </article>
  )
}
