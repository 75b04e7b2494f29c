import { listItems } from '#tree/data.ts'
import { List, listTitle } from '#tree/list.tsx'
import { Link } from '../link.jsx'

export const loader = async () => ({ items: await listItems() })

export const meta = () => [{ title: listTitle }]

export default function ListPage ({ loaderData }) {
  return <List items={loaderData.items} Link={Link} />
}
