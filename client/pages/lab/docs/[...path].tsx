import type { Ctx, MetaCtx, PageProps } from '@hull/shell/client'
import { Crumbs } from '../../../components/crumbs.tsx'
import { LabPage } from '../../../components/lab/lab-page.tsx'

export const layout = 'lab'

export const getData = ({ params }: Ctx<'/lab/docs/[...path]'>) => ({ segments: params.path })

export const getMeta = ({ data }: MetaCtx<typeof getData>) => ({
  title: `${data.segments.at(-1)} · Lab`,
  robots: 'noindex'
})

export default function DocsPage({ data: { segments } }: PageProps<typeof getData>) {
  const steps = segments.map((label, i) => ({
    label,
    href: `/lab/docs/${segments
      .slice(0, i + 1)
      .map(encodeURIComponent)
      .join('/')}`
  }))
  return (
    <LabPage
      title={segments.at(-1)!}
      expect="The catch-all took every segment below, decoded once. A slash inside one was written as %2F."
    >
      <Crumbs steps={steps} />
      <div className="table-wrap">
        <table className="table">
          <caption>{segments.length === 1 ? 'One segment' : `${segments.length} segments`}</caption>
          <thead>
            <tr>
              <th scope="col" className="number">
                Place
              </th>
              <th scope="col">Segment</th>
              <th scope="col">In the address</th>
            </tr>
          </thead>
          <tbody>
            {segments.map((segment, i) => (
              <tr key={i}>
                <td className="number">{i + 1}</td>
                <td>
                  <code>{segment}</code>
                </td>
                <td>
                  <code>{encodeURIComponent(segment)}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </LabPage>
  )
}
