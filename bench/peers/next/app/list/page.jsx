import Link from 'next/link'
import { listItems } from '#tree/data.ts'
import { List, listTitle } from '#tree/list.tsx'

export const dynamic = 'force-dynamic'

export const metadata = { title: listTitle }

export default async function ListPage () {
  return <List items={await listItems()} Link={Link} />
}
