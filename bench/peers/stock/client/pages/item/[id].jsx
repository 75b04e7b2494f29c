import { useRouteContext } from '@fastify/react/client'
import { findItem } from '#tree/data.ts'
import { Detail, detailTitle } from '#tree/detail.tsx'
import { Link } from '../../link.jsx'

export async function getData ({ req }) {
  return { item: await findItem(req.params.id) }
}

export function getMeta ({ data }) {
  return { title: detailTitle(data.item) }
}

export default function ItemPage () {
  const { data } = useRouteContext()
  return <Detail item={data.item} Link={Link} />
}
