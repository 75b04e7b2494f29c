import { notFound, type Ctx, type MetaCtx, type PageProps } from '@hull/shell/client'
import { DescriptionList } from '../../../components/description-list.tsx'
import { formatPrice, StockState } from '../../../components/lab/item-card.tsx'
import { LabPage } from '../../../components/lab/lab-page.tsx'
import { findItem, listItems } from '../../../../routes/lab/items.ts'

export const layout = 'lab'

export function getData({ params }: Ctx<'/lab/items/[id]'>) {
  const item = findItem(params.id) ?? notFound(`There is no item ${params.id}.`)
  return { item, last: listItems().length }
}

export const getMeta = ({ data }: MetaCtx<typeof getData>) => ({ title: `${data.item.name} · Lab`, robots: 'noindex' })

export default function ItemPage({ data: { item, last } }: PageProps<typeof getData>) {
  return (
    <LabPage title={item.name} expect={item.summary}>
      <DescriptionList
        items={[
          { term: 'Item', value: item.id },
          { term: 'Kind', value: item.kind },
          { term: 'Size', value: item.size },
          { term: 'Price', value: formatPrice(item.price) },
          { term: 'Stock', value: <StockState stock={item.stock} /> }
        ]}
      />
      <nav className="row" aria-label="Items">
        {item.id > 1 && (
          <a href={`/lab/items/${item.id - 1}`} rel="prev">
            Previous
          </a>
        )}
        {item.id < last && (
          <a href={`/lab/items/${item.id + 1}`} rel="next">
            Next
          </a>
        )}
        <a href="/lab/items">All items</a>
      </nav>
    </LabPage>
  )
}
