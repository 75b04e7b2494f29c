import { OIDC_PROBLEMS, type OidcCode } from '@hull/shell'
import type { Ctx, PageProps } from '@hull/shell/client'

export function getData({ search, status }: Ctx) {
  const code = search.get('problem') ?? ''
  const problem = Object.hasOwn(OIDC_PROBLEMS, code) ? OIDC_PROBLEMS[code as OidcCode] : undefined
  if (problem) status(problem[0])
  return { returnTo: search.get('return') ?? '/account', problem: problem && { code, message: problem[1] } }
}

export const getMeta = () => ({ title: 'Sign in', robots: 'noindex' })

export default function SignInPage({ data: { returnTo, problem } }: PageProps<typeof getData>) {
  const start = `/sign-in/oidc/start?return=${encodeURIComponent(returnTo)}`
  return (
    <>
      <h1>{problem ? 'You are not signed in' : 'Sign in'}</h1>
      {problem && (
        <p role="alert">
          {problem.message} <code>{problem.code}</code>
        </p>
      )}
      {/* Documents, because they lead to another origin. Links, because browsers do not follow a form there. */}
      <p>
        <a className="button button-main" href={start} data-document>
          {problem ? 'Sign in again' : 'Sign in'}
        </a>
      </p>
      <p>
        <a href={`${start}&remember=on`} data-document>
          Sign in, and stay signed in for 30 days
        </a>
      </p>
    </>
  )
}
