import { LabPage } from '../../../components/lab/lab-page.tsx'

export const layout = 'lab'

export const getMeta = () => ({ title: 'Error in the browser · Lab', robots: 'noindex' })

export default function ErrorInBrowserPage() {
  if (typeof window !== 'undefined')
    throw new Error('lab/error/hydrate was asked for: the component throws in the browser')
  return (
    <LabPage
      title="As the server rendered it"
      expect="With JavaScript, the error page takes the place of this one as soon as it hydrates. Without JavaScript, this page stays."
    />
  )
}
