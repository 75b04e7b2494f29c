import Link from 'next/link'
import { notFound } from 'next/navigation'
import { findItem } from '#tree/data.ts'
import { Detail, detailTitle } from '#tree/detail.tsx'

export const dynamic = 'force-dynamic'

export async function generateMetadata ({ params }) {
  const { id } = await params
  const item = await findItem(id)
  return item ? { title: detailTitle(item) } : {}
}

export default async function ItemPage ({ params }) {
  const { id } = await params
  const item = await findItem(id)
  return <Detail item={item ?? notFound()} Link={Link} />
}
