import { Deep, deepTitle } from '#tree/deep.tsx'

export const meta = () => [{ title: deepTitle }]

export default function DeepPage () {
  return <Deep />
}
