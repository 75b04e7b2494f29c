import { createFileRoute, notFound } from '@tanstack/react-router'
import { createServerFn } from '@tanstack/react-start'
import { findItem } from '#tree/data.ts'
import { Detail, detailTitle } from '#tree/detail.tsx'
import { Link } from '../link'

const load = createServerFn()
  .validator((id) => id)
  .handler(async ({ data }) => {
    const item = await findItem(data)
    if (!item) throw notFound()
    return item
  })

export const Route = createFileRoute('/item/$id')({
  loader: ({ params }) => load({ data: params.id }),
  head: ({ loaderData }) => ({ meta: [{ title: loaderData && detailTitle(loaderData) }] }),
  component: ItemPage
})

function ItemPage () {
  return <Detail item={Route.useLoaderData()} Link={Link} />
}
