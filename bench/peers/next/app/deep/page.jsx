import { Deep, deepTitle } from '#tree/deep.tsx'

export const dynamic = 'force-dynamic'

export const metadata = { title: deepTitle }

export default function DeepPage () {
  return <Deep />
}
