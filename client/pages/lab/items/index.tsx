import type { PageProps } from '@hull/shell/client'
import { ItemCard } from '../../../components/lab/item-card.tsx'
import { LabPage } from '../../../components/lab/lab-page.tsx'
import { listItems } from '../../../../routes/lab/items.ts'

export const layout = 'lab'

export const getData = () => ({ items: listItems() })

export const getMeta = () => ({ title: 'Items · Lab', robots: 'noindex' })

export default function ItemsPage({ data: { items } }: PageProps<typeof getData>) {
  return (
    <LabPage
      title="Items"
      expect={`${items.length} items from a function in the same process: no network, no waiting.`}
    >
      <ul className="lab-cards">
        {items.map((item) => (
          <ItemCard key={item.id} item={item} />
        ))}
      </ul>
    </LabPage>
  )
}
