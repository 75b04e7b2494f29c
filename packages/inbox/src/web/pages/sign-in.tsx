import {
  ErrorSummary,
  Field,
  invalid,
  redirect,
  type ActionCtx,
  type Ctx,
  type FormState,
  type PageProps
} from '@hull/shell/client'
import { ButtonForm, FieldForm, LinkButton, SubmitButton } from '../components/shared/controls.tsx'
import { ErrorNotice } from '../components/shared/parts.tsx'
import { NAME_ERROR, SignInPage } from '../components/sign-in.tsx'
import { isErrorCode } from '@hull/common/is-error-code.ts'
import { OIDC_PROBLEMS, textOf, type OidcCode } from '@hull/shell'
import { requireOpen } from '../../access/guard.ts'
import { toPersonName } from '../../access/person-name.ts'
import { toReturnTo } from '../../access/return-to.ts'
import { OIDC_PATH } from '../../addresses.ts'
import { InboxPersonRemoved, InboxRoleMissing } from '../../errors.ts'

/** The page has no script, so that nothing reports its address, which contains the secret of the link. */
export const serverOnly = true

export const guard = ({ server }: Ctx) => requireOpen({ server })

export async function getData({ server, search, cookies, status }: Ctx) {
  const { way, provider, isLinkGood, findPerson, hasPasswords } = server.inboxAccess
  const token = search.get('token')
  const problem = toProblem(search.get('problem'))
  if (problem) status(problem.status)
  const [person, hasForm] = await Promise.all([findPerson(cookies), hasPasswords()])
  return {
    way,
    provider,
    hasForm,
    problem,
    link: token === null ? 'none' : isLinkGood(token) ? 'good' : 'over',
    name: person?.name,
    back: toReturnTo(search)
  }
}

/** Why the provider's answer signed nobody in. */
function toProblem(code: string | null) {
  if (code === null) return undefined
  if (Object.hasOwn(OIDC_PROBLEMS, code)) {
    const [status, message] = OIDC_PROBLEMS[code as OidcCode]
    return { code, status, message }
  }
  const error = [new InboxRoleMissing(), new InboxPersonRemoved()].find((error) => error.code === code)
  return error && { code, status: 403, message: `${error.message}.` }
}

export const getMeta = () => ({ title: 'Sign in · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx) {
  const { form, search, server, cookies } = ctx
  const { signInByLink, signInByPassword, findPerson } = server.inboxAccess
  if (!form.has('password')) {
    const isIn = await signInByLink(ctx, search.get('token'))
    // A second click on the button: the first one has signed the person in.
    if (isIn || (await findPerson(cookies))) redirect(toReturnTo(search))
    return invalid({ token: 'This link has expired or was already used.' })
  }
  const name = toPersonName(textOf(form, 'name'))
  const password = form.get('password')
  if (name === undefined) return invalid({ name: NAME_ERROR })
  try {
    if (await signInByPassword(ctx, { name, password: typeof password === 'string' ? password : '' }))
      redirect(toReturnTo(search))
  } catch (error) {
    if (isErrorCode(error, 'APP_INBOX_NAME_TAKEN')) return invalid({ name: `${(error as Error).message}.` })
    // Of no field: the input is valid, but sent too early.
    if (isErrorCode(error, 'APP_INBOX_TOO_MANY_TRIES'))
      return invalid({ limit: (error as Error).message }, { status: 429 })
    throw error
  }
  return invalid({ password: 'Wrong password.' })
}

export default function InboxSignInPage({ data, form }: PageProps<typeof getData, typeof action>) {
  const { way, provider, hasForm, problem, link, name, back } = data
  if (link === 'good')
    return (
      <SignInPage title="Open the inbox">
        <p>This link was printed in the terminal of the server. It works once.</p>
        <ButtonForm kind="main" label="Open the inbox" />
      </SignInPage>
    )
  return (
    <SignInPage title={link === 'over' ? 'This link has expired or was already used' : 'Sign in to the inbox'}>
      {problem && (
        <ErrorNotice>
          You are not signed in. {problem.message} <code>{problem.code}</code>
        </ErrorNotice>
      )}
      {name !== undefined && (
        <p className="notice">
          You are signed in as {name}. <a href={back}>Continue</a>
        </p>
      )}
      {provider !== undefined && (
        <p>
          <LinkButton
            kind="main"
            href={`${OIDC_PATH}?${new URLSearchParams({ return: back })}`}
            data-document
            label={`Sign in with ${provider}`}
          />
        </p>
      )}
      {hasForm && <PasswordForm form={form} isShared={way === 'password'} />}
      {way === 'link' && (
        <p>
          {link === 'over' ? '' : 'Open the sign-in link that the server printed in its terminal when it started. '}
          {LINK_RULE}
        </p>
      )}
      <p className="quiet small">
        If you were invited, open your invitation link, or sign in with the password that you chose. An admin can send
        you a new link.
        {way === 'link' && (
          <>
            {' '}
            Or set <code>INBOX_PASSWORD</code>, restart the server, and sign in with that password.
          </>
        )}
      </p>
    </SignInPage>
  )
}

const LINK_RULE =
  'A sign-in link works once, within 15 minutes of the start of the server. Restart the server to get a new link.'

/** @param props.isShared whether INBOX_PASSWORD is set */
function PasswordForm({ form, isShared }: { form?: FormState; isShared: boolean }) {
  return (
    <>
      {form?.errors.limit === undefined ? (
        <ErrorSummary form={form} title="Sign-in failed" />
      ) : (
        <ErrorNotice>{form.errors.limit}</ErrorNotice>
      )}
      <FieldForm submit={<SubmitButton kind="main" label="Sign in" />}>
        <Field
          name="name"
          label="Your name"
          hint="Your changes are recorded under this name."
          form={form}
          autoComplete="username"
          maxLength={60}
        />
        <Field name="password" label="Password" form={form} type="password" autoComplete="current-password" />
      </FieldForm>
      <p className="quiet small">
        {isShared ? (
          <>
            The password is your own, or for admins the value of <code>INBOX_PASSWORD</code> on the server.
          </>
        ) : (
          'The password is your own.'
        )}
      </p>
    </>
  )
}
