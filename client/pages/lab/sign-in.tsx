import { Field, invalid, redirect, type ActionCtx, type Ctx, type Href, type PageProps } from '@hull/shell/client'
import { LabPage } from '../../components/lab/lab-page.tsx'
import { textOf, toOwnPath } from '@hull/shell'

export const layout = 'lab'

export function getData({ search, session }: Ctx) {
  return { user: session.get('user') ?? null, back: returnPath(search) ?? null }
}

export const getMeta = () => ({ title: 'Sign in · Lab', robots: 'noindex' })

export function action({ form, search, session }: ActionCtx) {
  if (form.get('intent') === 'sign-out') {
    session.clear()
    redirect('/lab/sign-in')
  }
  const name = textOf(form, 'name')
  if (name === '' || name.length > 40)
    return invalid<Record<'name', string>>({ name: 'Give a name of 1 to 40 characters.' })
  session.set('user', name)
  redirect(returnPath(search) ?? '/lab/sign-in')
}

/** Address to return to, if it is on this origin. */
const returnPath = (search: URLSearchParams) => toOwnPath(search.get('return') ?? '') as Href | undefined

export default function SignInPage({ data: { user, back }, form }: PageProps<typeof getData, typeof action>) {
  return (
    <LabPage
      title={user ? `Signed in as ${user}` : 'Sign in'}
      expect="Any name will do: this is a stub, which checks no password. It keeps the name in the session, a signed cookie, until you sign out. docs/sign-in.md has sign-ins for an application."
    >
      {user ? (
        <form method="post" className="row">
          <button type="submit" className="button" name="intent" value="sign-out">
            Sign out
          </button>
          {back && <a href={back}>Back to {back}</a>}
        </form>
      ) : (
        <form method="post" className="form" noValidate>
          <Field name="name" label="Name" form={form} autoComplete="username" />
          <p className="row">
            <button type="submit" className="button button-main">
              Sign in
            </button>
            {back && (
              <span className="small quiet">
                Then back to <code>{back}</code>
              </span>
            )}
          </p>
        </form>
      )}
    </LabPage>
  )
}
