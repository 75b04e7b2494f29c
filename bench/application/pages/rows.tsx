import type { Meta, PageProps } from '@hull/shell/client'
import { listRows } from '../../tree/data.ts'
import { Rows, rowsTitle } from '../../tree/rows.tsx'

export async function getData() {
  return { rows: await listRows() }
}

export const getMeta = (): Meta => ({ title: rowsTitle })

export default function RowsPage({ data }: PageProps<typeof getData>) {
  return <Rows rows={data.rows} />
}
