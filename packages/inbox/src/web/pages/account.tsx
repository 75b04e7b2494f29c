import { Field, invalid, redirect, type ActionCtx, type Ctx, type FormState, type PageProps } from '@hull/shell/client'
import { ButtonForm, FieldForm, SubmitButton } from '../components/shared/controls.tsx'
import { PageHead, Section } from '../components/shared/parts.tsx'
import { Text } from '../components/shared/text.tsx'
import { FlashMessageView } from '../components/shared/flash-message.tsx'
import { RenameForm } from '../components/settings/rename-form.tsx'
import { Sessions } from '../components/settings/sessions.tsx'
import { NAME_ERROR, PASSWORD_ERROR, PASSWORD_HINT } from '../components/sign-in.tsx'
import { isErrorCode } from '@hull/common/is-error-code.ts'
import { SECOND } from '@hull/common/time.ts'
import { textOf } from '@hull/shell'
import { requirePerson } from '../../access/guard.ts'
import { toPersonName } from '../../access/person-name.ts'
import { toNewPassword } from '../../access/person-passwords.ts'
import type { Person } from '../../access/access.ts'
import { toMailAddress } from '../../alerts/channel-input.ts'
import { InboxMailCodesTooMany } from '../../errors.ts'
import { sendNow } from '../view-models/alert-forms.ts'
import { orInvalid } from '../view-models/or-invalid.ts'
import { setSavedMessage, takeFlashMessage } from '../view-models/flash-message.ts'
import type { OwnMail } from '../../alerts/types.ts'
import type { Role } from '../../store/model.ts'
import '../styles/inbox-settings.css'

export const layout = 'inbox'

export const guard = (ctx: Ctx) => requirePerson(ctx)

export async function getData(ctx: Ctx) {
  const { person, name, role, projects, isExternal, hasPassword, hash } = await requirePerson(ctx)
  return {
    name,
    role,
    hasOthers: Object.keys(projects).length > 0,
    isExternal,
    hasPassword,
    own: hash,
    mail: (await ctx.server.inbox!.queries.findOwnMail({ person })) ?? null,
    hasMail: ctx.server.inboxAlerts.hasMail,
    flash: await takeFlashMessage(ctx.server.inbox!, ctx),
    sessions: await ctx.server.inboxAccess.listSessions(person)
  }
}

export const getMeta = () => ({ title: 'Account · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx) {
  const { form, server } = ctx
  const me = await requirePerson(ctx)
  const { changes } = server.inbox!
  const intent = form.get('intent')
  if (intent === 'rename') {
    const name = toPersonName(textOf(form, 'name'))
    if (name === undefined) return invalid({ name: NAME_ERROR })
    const refused = await orInvalid(changes.renamePerson({ id: me.person, name }), 'APP_INBOX_NAME_TAKEN', 'name')
    if (refused) return refused
    setSavedMessage(ctx, 'name')
  } else if (intent === 'mail') {
    return setMail(ctx, me)
  } else if (intent === 'confirm-mail') {
    const change = changes.confirmOwnMail({ person: me.person, code: textOf(form, 'code') })
    const refused = await orInvalid(change, 'APP_INBOX_MAIL_CODE_WRONG', 'code')
    if (refused) return refused
    setSavedMessage(ctx, 'mail-confirmed')
  } else if (intent === 'password') {
    return changePassword(ctx, me)
  } else if (intent === 'sign-out-others') {
    await changes.closePersonSessions({ person: me.person, except: me.hash, by: me.person })
  } else if (intent === 'close') {
    const hash = textOf(form, 'hash')
    if (hash === me.hash) {
      await server.inboxAccess.signOut(ctx)
      redirect('/inbox/sign-out')
    }
    const own = await server.inboxAccess.listSessions(me.person)
    if (own.some((session) => session.hash === hash)) await changes.closePersonSession({ hash, by: me.person })
  }
}

async function setMail(ctx: ActionCtx, { person }: Person) {
  const { form, server, reply } = ctx
  const { baseUrl, now, takeCode } = server.inboxAlerts
  const address = textOf(form, 'mail').trim()
  // No code is sent to a wrong address, so none is counted.
  const wait = address === '' || typeof toMailAddress(address) === 'object' ? 0 : takeCode(person)
  if (wait > 0) {
    reply.header('retry-after', String(Math.ceil(wait / SECOND)))
    const { message } = new InboxMailCodesTooMany()
    return invalid({ mail: `${message}.` }, { status: 429 })
  }
  const change = server.inbox!.changes.setOwnMail({ person, address, now: now(), wall: Date.now(), baseUrl })
  const refused = await orInvalid(change, 'APP_INBOX_MAIL_INVALID', 'mail')
  if (refused) return refused
  setSavedMessage(ctx, 'mail')
  await sendNow(server)
}

async function changePassword(ctx: ActionCtx, me: Person) {
  if (me.isExternal) return
  const next = toNewPassword(ctx.form.get('new-password'))
  if (next === undefined) return invalid({ 'new-password': PASSWORD_ERROR })
  try {
    const current = textOf(ctx.form, 'current-password')
    if (!(await ctx.server.inboxAccess.changePassword(ctx, me, { current, next }))) {
      // 401 if the session has ended meanwhile: `ctx` itself keeps the person that it found before.
      await requirePerson({ server: ctx.server, cookies: ctx.cookies })
      return invalid({ 'current-password': 'Wrong password.' })
    }
  } catch (error) {
    if (!isErrorCode(error, 'APP_INBOX_TOO_MANY_TRIES')) throw error
    return invalid({ 'current-password': (error as Error).message }, { status: 429 })
  }
  setSavedMessage(ctx, 'password')
  redirect('/inbox/account#sessions')
}

const ROLE_TEXTS: Record<Role, string> = {
  none: 'You have no role for all projects; an admin can change that.',
  viewer: 'Your role is viewer. You can read; an admin can change your role.',
  member: 'Your role is member. You can change issues; your changes are recorded under your name.',
  admin: 'Your role is admin. You can change everything; your changes are recorded under your name.'
}

export default function AccountPage({ data, form }: PageProps<typeof getData, typeof action>) {
  const { name, role, hasOthers, isExternal, hasPassword, own, mail, hasMail, sessions, flash } = data
  return (
    <div className="settings">
      <PageHead title="Account" />
      <FlashMessageView flash={flash} action="/inbox/account" />
      <Section id="who" title={name}>
        <p className="lead">
          {ROLE_TEXTS[role]}
          {hasOthers && ' You have other roles in single projects.'}
        </p>
        <RenameForm
          name={name}
          form={form && 'name' in form.errors ? form : undefined}
          maxLength={60}
          autoComplete="name"
        />
      </Section>
      {!isExternal && (
        <Section id="password" title="Password">
          <PasswordForm form={form} hasPassword={hasPassword} />
        </Section>
      )}
      <Section id="mails" title="Mails">
        <MailForm form={form} mail={mail} hasMail={hasMail} />
      </Section>
      <Section id="sessions" title="Sessions">
        <Sessions sessions={sessions} own={own} />
        <p className="lead">
          {isExternal ? 'A session ends 12 hours after the sign-in.' : 'A session ends after 30 days without a visit.'}
        </p>
        {sessions.length > 1 && <ButtonForm intent="sign-out-others" label="Sign out everywhere else" />}
      </Section>
    </div>
  )
}

interface MailFormProps {
  form?: FormState
  mail: OwnMail | null
  hasMail: boolean
}

function MailForm({ form, mail, hasMail }: MailFormProps) {
  return (
    <>
      <p className="lead">
        You get mails about the issues that you follow: comments, mentions and changes by others. You follow those that
        you comment on, are assigned to or are mentioned in, until you press Unfollow.
      </p>
      {!hasMail && (
        <p className="notice notice-warn">
          No mail server is set, so no mails are sent. An admin of the server sets <code>INBOX_SMTP_URL</code> and{' '}
          <code>INBOX_MAIL_FROM</code>.
        </p>
      )}
      {mail?.isPaused && (
        <p className="notice notice-warn">A link in a mail ended the mails. Save the address to get them again.</p>
      )}
      {mail?.error !== undefined && hasMail && (
        <p className="notice notice-warn">
          The last mail was not sent: <Text max={300}>{mail.error}</Text>
        </p>
      )}
      {hasMail && mail && !mail.isConfirmed && (
        <FieldForm data-keep-scroll submit={<SubmitButton kind="main" intent="confirm-mail" label="Confirm address" />}>
          <p className="notice notice-warn">
            Enter the code that {mail.error === undefined ? 'was' : 'will be'} sent to{' '}
            <Text max={100}>{mail.address}</Text>. Before that, no other mails are sent.
          </p>
          <Field name="code" label="Code" hint="Such as 7KQ2F-M9XBT." form={form} autoComplete="one-time-code" />
        </FieldForm>
      )}
      <FieldForm
        data-keep-scroll
        submit={
          <SubmitButton
            intent="mail"
            label={mail && !mail.isConfirmed ? 'Save address and send another code' : 'Save address'}
          />
        }
      >
        <Field
          name="mail"
          label="Mail address"
          hint="Empty for no mails."
          form={form}
          type="email"
          autoComplete="email"
          defaultValue={mail?.address}
        />
      </FieldForm>
    </>
  )
}

function PasswordForm({ form, hasPassword }: { form?: FormState; hasPassword: boolean }) {
  return (
    <>
      <p className="lead">
        With your own password you can sign in again without a link. A new password ends all your other sessions.
      </p>
      <FieldForm submit={<SubmitButton intent="password" label={hasPassword ? 'Change password' : 'Set password'} />}>
        {hasPassword && (
          <Field
            name="current-password"
            label="Current password"
            form={form}
            type="password"
            autoComplete="current-password"
          />
        )}
        <Field
          name="new-password"
          label="New password"
          hint={PASSWORD_HINT}
          form={form}
          type="password"
          autoComplete="new-password"
        />
      </FieldForm>
    </>
  )
}
