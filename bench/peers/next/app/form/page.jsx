import { Order, orderTitle } from '#tree/order.tsx'

export const dynamic = 'force-dynamic'

export const metadata = { title: orderTitle }

export default function OrderPage () {
  return <Order />
}
