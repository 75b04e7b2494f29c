import { listRows } from '#tree/data.ts'
import { Rows, rowsTitle } from '#tree/rows.tsx'

export const loader = async () => ({ rows: await listRows() })

export const meta = () => [{ title: rowsTitle }]

export default function RowsPage ({ loaderData }) {
  return <Rows rows={loaderData.rows} />
}
