import type { FallbackProps } from '@hull/shell/client'
import { Fallback } from '../components/fallback.tsx'

export default function Forbidden({ status, message, pathname }: FallbackProps) {
  return (
    <Fallback status={status} title="Not allowed" message={message}>
      You do not have permission to open <code>{pathname}</code>. If you need access, ask the people who run this site.
    </Fallback>
  )
}
