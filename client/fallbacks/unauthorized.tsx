import type { FallbackProps } from '#shell'
import { Fallback, WAY_HOME } from '../components/fallback.tsx'

export default function Unauthorized({ status, message, pathname, signInHref }: FallbackProps) {
  return (
    <Fallback
      status={status}
      title="Sign-in needed"
      message={message}
      way={signInHref ? { href: signInHref, label: 'Sign in' } : WAY_HOME}
    >
      {signInHref ? (
        <>
          Afterwards you come back to <code>{pathname}</code>.
        </>
      ) : (
        <>
          <code>{pathname}</code> is shown to those who are signed in.
        </>
      )}
    </Fallback>
  )
}
