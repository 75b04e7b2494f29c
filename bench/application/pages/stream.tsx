import type { Meta, PageProps } from '@hull/shell/client'
import { openReport } from '../../tree/data.ts'
import { ReportPage, reportTitle } from '../../tree/report.tsx'

export const streaming = true

export const getData = () => openReport()

export const getMeta = (): Meta => ({ title: reportTitle })

export default function StreamedPage({ data }: PageProps<typeof getData>) {
  return <ReportPage {...data} />
}
