import type { FallbackProps } from '#shell'
import { Fallback, WAY_HOME } from '../components/fallback.tsx'

export default function Forbidden({ status, message, pathname }: FallbackProps) {
  return (
    <Fallback status={status} title="Not allowed" message={message} way={WAY_HOME}>
      <code>{pathname}</code> is there, but kept for others. If you need it, ask whoever runs this site.
    </Fallback>
  )
}
