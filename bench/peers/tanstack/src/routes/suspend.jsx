import { createFileRoute } from '@tanstack/react-router'
import { createServerFn } from '@tanstack/react-start'
import { openReport } from '#tree/data.ts'
import { ReportPage, reportTitle } from '#tree/report.tsx'

const load = createServerFn().handler(() => openReport())

export const Route = createFileRoute('/suspend')({
  loader: () => load(),
  head: () => ({ meta: [{ title: reportTitle }] }),
  component: Report
})

function Report () {
  return <ReportPage {...Route.useLoaderData()} />
}
