import type { ReactNode } from 'react'
import type { InboxState } from '../../plugins/inbox.ts'
import { LinkSample, NextStep } from './next-steps.tsx'

const READ = [
  ['/inbox/issues', 'what is broken, and since when'],
  ['/inbox/traces', 'where the time goes'],
  ['/inbox/doctor', 'whether all of it arrives']
] as const

/** The inbox, among the next steps of the home page. */
export function InboxStep({ state }: { state: InboxState }) {
  const isOpen = state === 'link' || state === 'password'
  return (
    <NextStep
      title="Open the inbox"
      href={isOpen ? '/inbox' : undefined}
      sample={isOpen && <LinkSample links={READ} />}
    >
      {DESCRIPTIONS[state]}
    </NextStep>
  )
}

const DESCRIPTIONS: Record<InboxState, ReactNode> = {
  link: 'What broke, in which line and for whom, as it happens. The server printed a sign-in link in its terminal when it started.',
  password: 'What broke, in which line and for whom, as it happens.',
  closed: (
    <>
      Errors are stored, but nobody can read them yet: set <code>INBOX_PASSWORD</code> in the environment.
    </>
  ),
  elsewhere: (
    <>
      Errors and traces go to the provider that <code>SENTRY_DSN</code> names; without it they are stored and read here.
    </>
  ),
  off: (
    <>
      It is off, and nothing is collected: <code>INBOX=off</code> is set in the environment.
    </>
  )
}
