import { useRouteContext } from '@fastify/react/client'
import { listRows } from '#tree/data.ts'
import { Rows, rowsTitle } from '#tree/rows.tsx'

export async function getData () {
  return { rows: await listRows() }
}

export function getMeta () {
  return { title: rowsTitle }
}

export default function RowsPage () {
  const { data } = useRouteContext()
  return <Rows rows={data.rows} />
}
