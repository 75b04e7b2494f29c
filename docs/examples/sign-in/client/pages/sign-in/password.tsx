import { Field, invalid, redirect, type ActionCtx, type PageProps, type Href } from '@hull/shell/client'
import { textOf, toOwnPath } from '@hull/shell'

export const getMeta = () => ({ title: 'Sign in', robots: 'noindex' })

export async function action({ address, form, headers, search, server, session, setHeader }: ActionCtx) {
  const given = { name: textOf(form, 'name'), password: textOf(form, 'password'), address }
  const { account, wait } = await server.passwords.check(given)
  if (wait !== undefined) {
    setHeader('retry-after', String(wait))
    return invalid<Errors>({ form: `Too many attempts: try again in ${wait} s.` }, { status: 429 })
  }
  if (!account) return invalid<Errors>({ form: 'The name or the password is wrong.' })
  const person = { account: account.id, name: account.name, roles: [] }
  const browser = headers['user-agent'] as string | undefined
  server.signIns.begin(session, person, { remember: form.has('remember'), browser })
  redirect((toOwnPath(search.get('return') ?? '') ?? '/account') as Href)
}

type Errors = Record<'form', string>

export default function SignInPage({ form }: PageProps<undefined, typeof action>) {
  return (
    <form method="post" className="form" noValidate>
      <h1>Sign in</h1>
      {form && <p role="alert">{form.errors.form}</p>}
      <Field form={form} name="name" label="Name" autoComplete="username" />
      <Field form={form} name="password" label="Password" type="password" autoComplete="current-password" />
      <p>
        <label>
          <input type="checkbox" name="remember" /> Stay signed in for 30 days
        </label>
      </p>
      <p>
        <button type="submit" className="button button-main">
          Sign in
        </button>
      </p>
    </form>
  )
}
