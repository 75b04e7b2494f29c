import { Link, type CachePolicy, type Meta, type PageProps } from '@hull/shell/client'
import { listItems } from '../../tree/data.ts'
import { List, listTitle } from '../../tree/list.tsx'

export const cache: CachePolicy = { maxAge: 60 }

export async function getData() {
  return { items: await listItems() }
}

export const getMeta = (): Meta => ({ title: listTitle })

export default function CachedPage({ data }: PageProps<typeof getData>) {
  return <List items={data.items} Link={Link} />
}
