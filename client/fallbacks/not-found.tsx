import type { FallbackProps } from '@hull/shell/client'
import { Fallback } from '../components/fallback.tsx'

export default function NotFound({ status, message, pathname }: FallbackProps) {
  return (
    <Fallback status={status} title="Not found" message={message}>
      The address is <code>{pathname}</code>. The link may be out of date, or the address may be mistyped.
    </Fallback>
  )
}
