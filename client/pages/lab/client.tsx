import { useSyncExternalStore } from 'react'
import type { PageProps } from '@hull/shell/client'
import { DescriptionList } from '../../components/description-list.tsx'
import { LabPage } from '../../components/lab/lab-page.tsx'

export const layout = 'lab'

export const clientOnly = true

export const getData = () => ({ node: process.versions.node })

export const getMeta = () => ({ title: 'Client · Lab', robots: 'noindex' })

export default function ClientPage({ data: { node } }: PageProps<typeof getData>) {
  const size = useSyncExternalStore(onResize, () => `${window.innerWidth} × ${window.innerHeight}`)
  return (
    <LabPage
      title="In the browser only"
      expect="The server sent data and no markup for this; resize the window and the figure follows."
    >
      <DescriptionList
        items={[
          { term: 'Window', value: size },
          { term: 'Language', value: navigator.language },
          { term: 'Node on the server', value: node }
        ]}
      />
    </LabPage>
  )
}

function onResize(changed: () => void) {
  window.addEventListener('resize', changed)
  return () => window.removeEventListener('resize', changed)
}
