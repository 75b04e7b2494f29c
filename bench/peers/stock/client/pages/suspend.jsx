import { useMemo } from 'react'
import { useRouteContext } from '@fastify/react/client'
import { openReport, settle, toReport } from '#tree/data.ts'
import { ReportPage, reportTitle } from '#tree/report.tsx'

// Data of @fastify/react cannot contain promises, so the figures are awaited.
export async function getData () {
  return settle(openReport())
}

export function getMeta () {
  return { title: reportTitle }
}

export default function Report () {
  const { data } = useRouteContext()
  const report = useMemo(() => toReport(data), [data])
  return <ReportPage {...report} />
}
