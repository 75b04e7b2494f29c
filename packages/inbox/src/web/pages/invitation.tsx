import { ErrorSummary, Field, invalid, redirect, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { FieldForm, SubmitButton } from '../components/shared/controls.tsx'
import { NAME_ERROR, PASSWORD_ERROR, PASSWORD_HINT, SignInPage } from '../components/sign-in.tsx'
import { textOf } from '@hull/shell'
import { requireOpen } from '../../access/guard.ts'
import { toNewPassword } from '../../access/person-passwords.ts'
import { toPersonName } from '../../access/person-name.ts'
import { orInvalid } from '../view-models/or-invalid.ts'

/** The page has no script, so that nothing reports its address, which contains the secret of the link. */
export const serverOnly = true

export const guard = ({ server }: Ctx) => requireOpen({ server })

export async function getData({ server, search }: Ctx) {
  const invitation = await server.inboxAccess.findInvitation(search.get('token'))
  if (!invitation) return null
  const { role, person, madeBy } = invitation
  return { role, person, madeBy }
}

export const getMeta = () => ({ title: 'Invitation · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx) {
  const { form, search, server } = ctx
  const { findInvitation, acceptInvitation, findPerson } = server.inboxAccess
  const token = search.get('token')
  const invitation = await findInvitation(token)
  const name = invitation?.person ?? toPersonName(textOf(form, 'name'))
  const password = textOf(form, 'password') === '' ? undefined : toNewPassword(form.get('password'))
  if (invitation && name === undefined) return invalid({ name: NAME_ERROR })
  if (invitation && password === undefined && textOf(form, 'password') !== '')
    return invalid({ password: PASSWORD_ERROR })
  const accepting = acceptInvitation(ctx, { token, name: name ?? '', password })
  const accepted = await orInvalid(accepting, 'APP_INBOX_NAME_TAKEN', 'name')
  if (typeof accepted !== 'boolean') return accepted
  if (accepted) redirect('/inbox')
  // A second click on the button: the first one has signed the person in.
  if (await findPerson(ctx.cookies)) redirect('/inbox')
  return invalid({ token: 'This invitation has expired or was already used.' })
}

/** Without a role in all projects, a person has one in some. */
const INVITED_AS = { none: '', viewer: ' as a viewer', member: ' as a member', admin: ' as an admin' }

export default function InvitationPage({ data, form }: PageProps<typeof getData, typeof action>) {
  if (!data)
    return (
      <SignInPage title="This invitation has expired or was already used">
        <p>Invitations work once, for seven days, and can be revoked. Ask the person who sent it for a new one.</p>
      </SignInPage>
    )
  const { role, person, madeBy } = data
  return (
    <SignInPage title={person === undefined ? 'You are invited to the inbox' : `Welcome back, ${person}`}>
      <p>{`${madeBy} invites you${INVITED_AS[role]} to the error inbox. The link works once.`}</p>
      <ErrorSummary form={form} title="Sign-in failed" />
      <FieldForm submit={<SubmitButton kind="main" label="Open the inbox" />}>
        {person === undefined && (
          <Field name="name" label="Your name" form={form} autoComplete="username" maxLength={60} />
        )}
        <Field
          name="password"
          label={person === undefined ? 'Password (optional)' : 'New password (optional)'}
          hint={`${PASSWORD_HINT} With it you can sign in again without a link.`}
          form={form}
          type="password"
          autoComplete="new-password"
        />
      </FieldForm>
    </SignInPage>
  )
}
