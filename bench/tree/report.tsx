import { Suspense, use } from 'react'
import type { Line, Report } from './data.ts'

export const reportTitle = 'Report'

/** Two sections, each of which suspends until its figures have arrived. */
export function ReportPage({ sales, stock }: Report) {
  return (
    <main className="report">
      <h1>{reportTitle}</h1>
      <p>Two lists of figures, each from a slow source.</p>
      <Suspense fallback={<p>Sales are loading.</p>}>
        <Figures title="Sales" lines={sales} />
      </Suspense>
      <Suspense fallback={<p>Stock is loading.</p>}>
        <Figures title="Stock" lines={stock} />
      </Suspense>
    </main>
  )
}

function Figures({ title, lines }: { title: string; lines: Promise<Line[]> }) {
  return (
    <section>
      <h2>{title}</h2>
      <dl>
        {use(lines).map(({ name, figure }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{figure}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
