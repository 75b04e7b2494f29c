import { type Meta, type PageProps } from '@hull/shell/client'
import { listItems } from '../../tree/data.ts'
import { List, listTitle } from '../../tree/list.tsx'

/** `/list` with plain links. */
export async function getData() {
  return { items: await listItems() }
}

export const getMeta = (): Meta => ({ title: listTitle })

export default function PlainPage({ data }: PageProps<typeof getData>) {
  return <List items={data.items} Link="a" />
}
