import { Field, invalid, redirect, type ActionCtx, type PageProps } from '@hull/shell/client'
import { textOf } from '@hull/shell'
import { MIN_PASSWORD_LENGTH } from '../../../plugins/passwords.ts'

export const layout = 'account'

export const getMeta = () => ({ title: 'Change your password', robots: 'noindex' })

export async function action({ address, form, headers, server, session, setHeader }: ActionCtx) {
  const person = server.signIns.require(session)
  const next = textOf(form, 'next')
  if (next.length < MIN_PASSWORD_LENGTH)
    return invalid<Errors>({ next: `Choose a password of at least ${MIN_PASSWORD_LENGTH} characters.` })
  const given = { password: textOf(form, 'current'), address }
  const { account, wait } = await server.passwords.change(person.account, next, given)
  if (wait !== undefined) {
    setHeader('retry-after', String(wait))
    return invalid<Errors>({ current: `Too many attempts: try again in ${wait} s.` }, { status: 429 })
  }
  if (!account) return invalid<Errors>({ current: 'This is not your password.' })
  server.signIns.endAll(person.account)
  const browser = headers['user-agent'] as string | undefined
  server.signIns.begin(session, person, { remember: person.remember, browser })
  redirect('/account')
}

type Errors = Record<'current' | 'next', string>

export default function PasswordPage({ form }: PageProps<undefined, typeof action>) {
  return (
    <form method="post" className="form" noValidate>
      <h1>Change your password</h1>
      <p>Every other browser is signed out.</p>
      <Field form={form} name="current" label="Password" type="password" autoComplete="current-password" />
      <Field form={form} name="next" label="New password" type="password" autoComplete="new-password" />
      <p>
        <button type="submit" className="button button-main">
          Change
        </button>
      </p>
    </form>
  )
}
