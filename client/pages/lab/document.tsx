import type { PageProps } from '@hull/shell/client'
import { LabPage } from '../../components/lab/lab-page.tsx'

export const layout = 'lab'

export const serverOnly = true

export const getData = () => ({ renderedAt: new Date().toISOString() })

export const getMeta = () => ({ title: 'Document · Lab', robots: 'noindex' })

export default function DocumentPage({ data: { renderedAt } }: PageProps<typeof getData>) {
  return (
    <LabPage title="A document" expect="This document has no script, and no data for one.">
      <p>
        Rendered at <time dateTime={renderedAt}>{`${renderedAt.slice(11, 19)} UTC`}</time>.
      </p>
      <details>
        <summary>Folding works without script</summary>
        <p className="quiet">The browser does it.</p>
      </details>
    </LabPage>
  )
}
