import { Link, type Ctx, type Meta, type PageProps } from '@hull/shell/client'
import { listMany } from '../../../tree/data.ts'
import { List, listTitle } from '../../../tree/list.tsx'

/** `/list` with the number of cards that the path has. */
export async function getData({ params }: Ctx<'/cards/[count]'>) {
  return { items: await listMany(Number(params.count)) }
}

export const getMeta = (): Meta => ({ title: listTitle })

export default function CardsPage({ data }: PageProps<typeof getData>) {
  return <List items={data.items} Link={Link} />
}
