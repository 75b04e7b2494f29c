import type { ReactNode } from 'react'
import { ChartReadout, ChartSlider, useColumn } from './chart-reader.tsx'
import type { Lane } from './lanes.tsx'

interface LaneReaderProps {
  lanes: Lane[]
  rows: ReactNode
  axis: ReactNode
}

/** Lanes with a cursor that shows the values of a point. */
export function LaneReader({ lanes, rows, axis }: LaneReaderProps) {
  const { start, step, points } = lanes[0]!.series
  const [chosen, choose] = useColumn(points.length)
  const values = lanes.map(({ name, series, format }) => {
    const point = chosen === undefined ? undefined : series.points[chosen]
    return { name, text: point == null ? '–' : format(point) }
  })
  const chart = { start, step, count: points.length, chosen, values }
  return (
    <div className="lanes-chart">
      <div className="lanes">
        {rows}
        <ChartSlider {...chart} onChoose={choose}>
          {axis}
        </ChartSlider>
      </div>
      <ChartReadout {...chart} />
    </div>
  )
}
