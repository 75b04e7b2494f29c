import { redirect, type Meta } from '@hull/shell/client'
import { Order, orderTitle } from '../../tree/order.tsx'

export const getMeta = (): Meta => ({ title: orderTitle })

export const action = () => redirect('/list')

export default function OrderPage() {
  return <Order />
}
