import { type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { SubmitButton } from '../components/shared/controls.tsx'
import { requireOpen } from '../../access/guard.ts'
import { toId } from '../../to-id.ts'
import { SignInPage } from '../components/sign-in.tsx'

/** The address contains a secret, so the page has no script. */
export const serverOnly = true

export const guard = ({ server }: Ctx) => requireOpen({ server })

export async function getData({ server, search }: Ctx) {
  const channel = await server.inbox!.queries.findUnsubscribed(readLink(search))
  return channel ?? null
}

export const getMeta = () => ({ title: 'Unsubscribe · Inbox', robots: 'noindex' })

/** Also called by mail programs, without a visit of the page. They must not be redirected (RFC 8058, 3.1). */
export async function action({ server, search, form, reply }: ActionCtx) {
  await server.inbox!.changes.unsubscribe({ ...readLink(search), now: Date.now() })
  if (form.get('List-Unsubscribe') === 'One-Click') return reply.type('text/plain').send('You are unsubscribed.\n')
  return undefined
}

const readLink = (search: URLSearchParams) => ({
  id: toId(search.get('channel')),
  token: search.get('token') ?? ''
})

export default function UnsubscribePage({ data }: PageProps<typeof getData, typeof action>) {
  if (!data)
    return (
      <SignInPage title="This link is not valid">
        <p>The channel was removed, or the link is incomplete. Ask an admin of the inbox to end the mails.</p>
      </SignInPage>
    )
  if (data.isPaused)
    return (
      <SignInPage title="You are unsubscribed">
        <p>
          {`No more mails of ${data.name} are sent to this address. `}
          {data.isOwn ? 'You can resume them in your account.' : 'An admin of the inbox can resume them.'}
        </p>
      </SignInPage>
    )
  return (
    <SignInPage title={`Unsubscribe from ${data.name}`}>
      <p>
        {data.isOwn
          ? 'No more mails about the issues that you follow are sent to this address.'
          : 'No more alerts are sent to this address, for everybody who reads it.'}
      </p>
      <form method="post" className="form">
        <p>
          <SubmitButton kind="main" label="Unsubscribe" />
        </p>
      </form>
    </SignInPage>
  )
}
