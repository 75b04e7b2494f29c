import { useRouteContext } from '@fastify/react/client'
import { listItems } from '#tree/data.ts'
import { List, listTitle } from '#tree/list.tsx'
import { Link } from '../link.jsx'

export async function getData () {
  return { items: await listItems() }
}

export function getMeta () {
  return { title: listTitle }
}

export default function ListPage () {
  const { data } = useRouteContext()
  return <List items={data.items} Link={Link} />
}
