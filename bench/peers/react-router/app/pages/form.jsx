import { Order, orderTitle } from '#tree/order.tsx'

export const meta = () => [{ title: orderTitle }]

export default function OrderPage () {
  return <Order />
}
