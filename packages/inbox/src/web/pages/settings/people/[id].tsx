import { invalid, notFound, redirect, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { Confirm, DangerZone } from '../../../components/confirm.tsx'
import { Crumbs, Section } from '../../../components/parts.tsx'
import { Sessions } from '../../../components/sessions.tsx'
import { Text } from '../../../components/text.tsx'
import { isErrorCode } from '@hull/common/is-error-code.ts'
import { requireAdmin } from '../../../../access/guard.ts'
import { textOf } from '@hull/shell'

export const layout = 'inbox-settings'

type Address = '/inbox/settings/people/[id]'

export async function getData(ctx: Ctx<Address>) {
  const { queries } = ctx.server.inbox!
  const me = await requireAdmin(ctx)
  const person = (await queries.listPeople()).find(({ id }) => String(id) === ctx.params.id)
  if (!person) notFound('This person does not exist. They may have been removed.')
  const { id, name, role, isExternal } = person
  const sessions = await queries.listPersonSessions({ person: id })
  return { id, name, role, isExternal, sessions, me: me.person, own: me.person === id ? me.hash : undefined }
}

export const getMeta = () => ({ title: 'Person · Settings · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx<Address>) {
  const { form, server } = ctx
  const { id, role, isExternal, sessions, me } = await getData(ctx)
  const { changes } = server.inbox!
  const intent = form.get('intent')
  try {
    if (!isExternal && (intent === 'admin' || intent === 'viewer')) {
      await changes.setRole({ id, role: intent, by: me })
    } else if (intent === 'remove') {
      await changes.removePerson({ id, by: me })
      redirect('/inbox/settings/people')
    } else if (intent === 'sign-out') {
      await changes.closePersonSessions({ person: id, by: me })
    } else if (intent === 'close') {
      const hash = textOf(form, 'hash')
      if (sessions.some((session) => session.hash === hash)) await changes.closePersonSession({ hash, by: me })
    } else if (intent === 'let-in' && !isExternal) {
      await server.inboxAccess.invite(await requireAdmin(ctx), { role, person: id })
      redirect('/inbox/settings/people#invitations')
    }
  } catch (error) {
    if (isErrorCode(error, 'APP_INBOX_LAST_ADMIN'))
      return invalid<Record<'role', string>>({ role: (error as Error).message })
    throw error
  }
}

export default function PersonPage({ data, form }: PageProps<typeof getData, typeof action>) {
  const { name, role, isExternal, sessions, own } = data
  return (
    <>
      <Crumbs above={[{ href: '/inbox/settings/people', label: 'People' }]} here={name} />
      {form?.errors.role && (
        <p className="notice notice-bad" role="alert">
          {form.errors.role}
        </p>
      )}
      <Section id="role" title={name}>
        <p className="lead">
          {role === 'admin'
            ? 'Role: admin. Can change everything.'
            : 'Role: viewer. Can read everything except raw payloads and settings.'}
        </p>
        {isExternal ? (
          <p className="lead">The sign-in service sets the role, at each sign-in.</p>
        ) : (
          <div className="row">
            <form method="post">
              <button type="submit" className="button" name="intent" value={role === 'admin' ? 'viewer' : 'admin'}>
                {role === 'admin' ? 'Change role to viewer' : 'Change role to admin'}
              </button>
            </form>
            <form method="post">
              <button type="submit" className="button" name="intent" value="let-in">
                Create sign-in link
              </button>
            </form>
          </div>
        )}
      </Section>
      <Section id="sessions" title="Sessions">
        <Sessions sessions={sessions} own={own} />
        {sessions.length > 1 && (
          <form method="post">
            <button type="submit" className="button" name="intent" value="sign-out">
              Sign out everywhere
            </button>
          </form>
        )}
      </Section>
      <DangerZone>
        <Confirm label="Remove" does="Remove now" intent="remove">
          <Text max={60}>{name}</Text> is signed out everywhere immediately, and their invitations are revoked. Their
          past changes stay in the activity under their name.
        </Confirm>
      </DangerZone>
    </>
  )
}
