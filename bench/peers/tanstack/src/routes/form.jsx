import { createFileRoute } from '@tanstack/react-router'
import { Order, orderTitle } from '#tree/order.tsx'

export const Route = createFileRoute('/form')({
  head: () => ({ meta: [{ title: orderTitle }] }),
  component: Order
})
