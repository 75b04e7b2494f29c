import type { FallbackProps } from '@hull/shell/client'
import { Fallback } from '../components/fallback.tsx'

export default function Unauthorized({ status, message, pathname, signInHref }: FallbackProps) {
  return (
    <Fallback
      status={status}
      title="Sign in to continue"
      message={message}
      way={signInHref ? { href: signInHref, label: 'Sign in' } : undefined}
    >
      {signInHref ? (
        <>
          After you sign in, you return to <code>{pathname}</code>.
        </>
      ) : (
        <>
          Only people who are signed in can open <code>{pathname}</code>.
        </>
      )}
    </Fallback>
  )
}
