import { notFound, type Ctx, type MetaCtx, type PageProps } from '@hull/shell/client'
import { Crumbs } from '../../../components/crumbs.tsx'
import { LabPage } from '../../../components/lab/lab-page.tsx'
import { findShelf } from '../../../../routes/lab/shop.ts'

export const layout = 'lab'

export const getData = ({ params }: Ctx<'/lab/shop/[[...path]]'>) =>
  findShelf(params.path) ?? notFound('There is no such shelf in the shop.')

export const getMeta = ({ data }: MetaCtx<typeof getData>) => ({ title: `${data.title} · Lab`, robots: 'noindex' })

export default function ShopPage({ data: { title, steps, below } }: PageProps<typeof getData>) {
  return (
    <LabPage title={title} expect="The same file answers /lab/shop and everything below it that is on a shelf.">
      <Crumbs steps={steps} />
      <ul className="lab-shelf">
        {below.map(({ href, label }) => (
          <li key={href}>
            <a href={href}>{label}</a>
          </li>
        ))}
      </ul>
    </LabPage>
  )
}
