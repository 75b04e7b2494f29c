import type { ReactNode } from 'react'
import type { InboxState } from '../../plugins/inbox.ts'
import { LinkSample, NextStep } from './next-steps.tsx'

const READ = [
  ['/inbox/issues', 'errors, most recent first'],
  ['/inbox/traces', 'requests and their durations'],
  ['/inbox/doctor', 'problems with collecting errors']
] as const

/** The inbox in the next steps of the home page. */
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
  link: 'Errors with their source lines and affected visitors, as they happen. The server printed a sign-in link in its terminal when it started.',
  password: 'Errors with their source lines and affected visitors, as they happen.',
  closed: (
    <>
      Errors are stored, but nobody can sign in: set <code>INBOX_PASSWORD</code> in the environment.
    </>
  ),
  elsewhere: (
    <>
      Errors and traces go to the provider that <code>SENTRY_DSN</code> names. With <code>INBOX=on</code>, they are
      stored here too.
    </>
  ),
  off: (
    <>
      The inbox is off, so no errors are collected: <code>INBOX=off</code> is set in the environment.
    </>
  )
}
