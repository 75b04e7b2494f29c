import type { Meta, PageProps } from '@hull/shell/client'
import { openReport } from '../../tree/data.ts'
import { ReportPage, reportTitle } from '../../tree/report.tsx'

export const getData = () => openReport()

export const getMeta = (): Meta => ({ title: reportTitle })

export default function SuspendingPage({ data }: PageProps<typeof getData>) {
  return <ReportPage {...data} />
}
