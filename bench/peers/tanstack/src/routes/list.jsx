import { createFileRoute } from '@tanstack/react-router'
import { createServerFn } from '@tanstack/react-start'
import { listItems } from '#tree/data.ts'
import { List, listTitle } from '#tree/list.tsx'
import { Link } from '../link'

const load = createServerFn().handler(() => listItems())

export const Route = createFileRoute('/list')({
  loader: () => load(),
  head: () => ({ meta: [{ title: listTitle }] }),
  component: ListPage
})

function ListPage () {
  return <List items={Route.useLoaderData()} Link={Link} />
}
