import { listRows } from '#tree/data.ts'
import { Rows, rowsTitle } from '#tree/rows.tsx'

export const dynamic = 'force-dynamic'

export const metadata = { title: rowsTitle }

export default async function RowsPage () {
  return <Rows rows={await listRows()} />
}
