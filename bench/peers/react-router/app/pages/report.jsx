import { openReport } from '#tree/data.ts'
import { ReportPage, reportTitle } from '#tree/report.tsx'

export const loader = () => openReport()

export const meta = () => [{ title: reportTitle }]

export default function Report ({ loaderData }) {
  return <ReportPage {...loaderData} />
}
