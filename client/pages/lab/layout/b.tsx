import { LabPage } from '../../../components/lab/lab-page.tsx'

export const layout = 'lab-notebook'

export const getMeta = () => ({ title: 'Page B · Lab', robots: 'noindex' })

export default function PageB() {
  return (
    <LabPage
      title="Page B"
      expect="Count and write something below, then go to page A: both stay, because the layout that holds them does."
    />
  )
}
