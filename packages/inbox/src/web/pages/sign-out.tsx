import { redirect, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { SubmitButton } from '../components/shared/controls.tsx'
import { SignInPage } from '../components/sign-in.tsx'
import { requireOpen } from '../../access/guard.ts'
import { OIDC_SIGN_OUT_PATH, SIGN_OUT_PATH } from '../../addresses.ts'

/** Loads a document, so that nothing of the inbox stays in the tab. */
export const serverOnly = true

export const guard = ({ server }: Ctx) => requireOpen({ server })

export async function getData({ server, cookies }: Ctx) {
  const person = await server.inboxAccess.findPerson(cookies)
  return { name: person?.name, provider: server.inboxAccess.provider }
}

export const getMeta = () => ({ title: 'Sign out · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx) {
  await ctx.server.inboxAccess.signOut(ctx)
  redirect(SIGN_OUT_PATH)
}

export default function SignOutPage({ data: { name, provider } }: PageProps<typeof getData, typeof action>) {
  return name === undefined ? (
    <SignInPage title="You are signed out">
      <p>
        <a href="/inbox/sign-in">Sign in to the inbox</a>
      </p>
      {provider !== undefined && (
        <p>
          <a href={OIDC_SIGN_OUT_PATH} data-document>
            Sign out of {provider} too
          </a>
        </p>
      )}
    </SignInPage>
  ) : (
    <SignInPage title={`Signed in as ${name}`}>
      <form method="post" className="row">
        <SubmitButton kind="main" label="Sign out" />
        <a href="/inbox">Back to the inbox</a>
      </form>
    </SignInPage>
  )
}
