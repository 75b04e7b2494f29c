import type { Meta } from '@hull/shell/client'
import { Deep, deepTitle } from '../../tree/deep.tsx'

export const getMeta = (): Meta => ({ title: deepTitle })

export default function DeepPage() {
  return <Deep />
}
