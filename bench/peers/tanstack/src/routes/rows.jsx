import { createFileRoute } from '@tanstack/react-router'
import { createServerFn } from '@tanstack/react-start'
import { listRows } from '#tree/data.ts'
import { Rows, rowsTitle } from '#tree/rows.tsx'

const load = createServerFn().handler(() => listRows())

export const Route = createFileRoute('/rows')({
  loader: () => load(),
  head: () => ({ meta: [{ title: rowsTitle }] }),
  component: RowsPage
})

function RowsPage () {
  return <Rows rows={Route.useLoaderData()} />
}
