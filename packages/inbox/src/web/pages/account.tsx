import { invalid, redirect, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { Section } from '../components/parts.tsx'
import { RenameForm } from '../components/rename-form.tsx'
import { Sessions } from '../components/sessions.tsx'
import { NAME_ERROR, NAME_TAKEN_ERROR } from '../components/sign-in.tsx'
import { isErrorCode } from '@hull/common/is-error-code.ts'
import { textOf } from '@hull/shell'
import { requirePerson } from '../../access/guard.ts'
import { toPersonName } from '../../access/person-name.ts'
import '../styles/inbox-settings.css'

export const layout = 'inbox'

export const guard = (ctx: Ctx) => requirePerson(ctx)

export async function getData(ctx: Ctx) {
  const { person, name, role, hash } = await requirePerson(ctx)
  return { name, role, own: hash, sessions: await ctx.server.inbox!.queries.listPersonSessions({ person }) }
}

export const getMeta = () => ({ title: 'Account · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx) {
  const { form, server } = ctx
  const me = await requirePerson(ctx)
  const { queries, changes } = server.inbox!
  const intent = form.get('intent')
  if (intent === 'rename') {
    const name = toPersonName(textOf(form, 'name'))
    if (name === undefined) return invalid<Record<'name', string>>({ name: NAME_ERROR })
    try {
      await changes.renamePerson({ id: me.person, name })
    } catch (error) {
      if (isErrorCode(error, 'APP_INBOX_NAME_TAKEN')) return invalid<Record<'name', string>>({ name: NAME_TAKEN_ERROR })
      throw error
    }
  } else if (intent === 'sign-out-others') {
    await changes.closePersonSessions({ person: me.person, except: me.hash })
  } else if (intent === 'close') {
    const hash = textOf(form, 'hash')
    if (hash === me.hash) {
      await server.inboxAccess.signOut(ctx)
      redirect('/inbox/sign-out')
    }
    const own = await queries.listPersonSessions({ person: me.person })
    if (own.some((session) => session.hash === hash)) await changes.closePersonSession({ hash })
  }
}

export default function AccountPage({ data, form }: PageProps<typeof getData, typeof action>) {
  const { name, role, own, sessions } = data
  return (
    <div className="settings">
      <header className="page-head">
        <h1>Account</h1>
      </header>
      <Section id="who" title={name}>
        <p className="lead">
          {role === 'admin'
            ? 'Your role is admin. You can change everything; your changes are recorded under your name.'
            : 'Your role is viewer. You can read; an admin can change your role.'}
        </p>
        <RenameForm name={name} form={form} maxLength={60} autoComplete="name" />
      </Section>
      <Section id="sessions" title="Sessions">
        <Sessions sessions={sessions} own={own} />
        <p className="lead">A session ends after 30 days without a visit.</p>
        {sessions.length > 1 && (
          <form method="post">
            <button type="submit" className="button" name="intent" value="sign-out-others">
              Sign out everywhere else
            </button>
          </form>
        )}
      </Section>
    </div>
  )
}
