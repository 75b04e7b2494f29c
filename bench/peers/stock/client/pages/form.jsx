import { Order, orderTitle } from '#tree/order.tsx'

export function getMeta () {
  return { title: orderTitle }
}

export default Order
