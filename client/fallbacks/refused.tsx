import type { RefusalProps } from '@hull/shell/client'
import { Fallback } from '../components/fallback.tsx'

/** Shown for an invalid request, and while the server refuses requests. */
export default function Refused({ status, title, message, code, method }: RefusalProps) {
  const passing = status === 429 || status === 503
  const changesNothing = method === 'GET' || method === 'HEAD'
  return (
    <Fallback
      status={status}
      title={title}
      message={message}
      way={passing ? { href: '', label: 'Try again' } : undefined}
    >
      {!changesNothing && 'Nothing was changed. '}If you report this problem, quote the code <code>{code}</code>.
    </Fallback>
  )
}
