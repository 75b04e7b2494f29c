import { findItem } from '#tree/data.ts'
import { Detail, detailTitle } from '#tree/detail.tsx'
import { Link } from '../link.jsx'

export async function loader ({ params }) {
  const item = await findItem(params.id)
  if (!item) throw new Response('Not found', { status: 404 })
  return { item }
}

export const meta = ({ loaderData }) => [{ title: loaderData && detailTitle(loaderData.item) }]

export default function ItemPage ({ loaderData }) {
  return <Detail item={loaderData.item} Link={Link} />
}
