import { openReport } from '#tree/data.ts'
import { ReportPage, reportTitle } from '#tree/report.tsx'

export const dynamic = 'force-dynamic'

export const metadata = { title: reportTitle }

export default function Report () {
  return <ReportPage {...openReport()} />
}
