import type { FallbackProps } from '#shell'
import { Fallback, WAY_HOME } from '../components/fallback.tsx'

export default function NotFound({ status, message, pathname }: FallbackProps) {
  return (
    <Fallback status={status} title="Not found" message={message} way={WAY_HOME}>
      You asked for <code>{pathname}</code>. The link that led here may be old, or the address has a slip in it.
    </Fallback>
  )
}
