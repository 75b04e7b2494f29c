import { createFileRoute } from '@tanstack/react-router'
import { Deep, deepTitle } from '#tree/deep.tsx'

export const Route = createFileRoute('/deep')({
  head: () => ({ meta: [{ title: deepTitle }] }),
  component: Deep
})
