import { Link } from '@hull/shell/client'
import type { Item } from '../../../routes/lab/items.ts'

/** Formats cents as `1,234.50`, the same on server and browser. */
export function formatPrice(cents: number): string {
  const [whole, rest] = (cents / 100).toFixed(2).split('.')
  return `${whole!.replace(/\B(?=(\d{3})+$)/g, ',')}.${rest}`
}

export function ItemCard({ item }: { item: Item }) {
  return (
    <li className="lab-card">
      <h2>
        <Link href={`/lab/items/${item.id}`} transition>
          {item.name}
        </Link>
      </h2>
      <p>{item.summary}</p>
      <p className="lab-card-foot">
        <StockState stock={item.stock} />
        <span>{formatPrice(item.price)}</span>
      </p>
    </li>
  )
}

export function StockState({ stock }: { stock: number }) {
  if (stock === 0) return <span className="state">sold out</span>
  return stock < 4 ? (
    <span className="state state-warn">{`${stock} left`}</span>
  ) : (
    <span className="state state-good">{`${stock} in stock`}</span>
  )
}
