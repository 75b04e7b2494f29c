import { Link, notFound, type Ctx, type Meta, type MetaCtx, type PageProps } from '@hull/shell/client'
import { findItem } from '../../../tree/data.ts'
import { Detail, detailTitle } from '../../../tree/detail.tsx'

export async function getData({ params }: Ctx<'/item/[id]'>) {
  return { item: (await findItem(params.id)) ?? notFound() }
}

export const getMeta = ({ data }: MetaCtx<typeof getData>): Meta => ({ title: detailTitle(data.item) })

export default function ItemPage({ data }: PageProps<typeof getData>) {
  return <Detail item={data.item} Link={Link} />
}
