import { Link, type Meta, type PageProps } from '@hull/shell/client'
import { listItems } from '../../tree/data.ts'
import { List, listTitle } from '../../tree/list.tsx'

export async function getData() {
  return { items: await listItems() }
}

export const getMeta = (): Meta => ({ title: listTitle })

export default function ListPage({ data }: PageProps<typeof getData>) {
  return <List items={data.items} Link={Link} />
}
