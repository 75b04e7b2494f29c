import { LabPage } from '../../../components/lab/lab-page.tsx'

export const layout = 'lab-notebook'

export const getMeta = () => ({ title: 'Page A · Lab', robots: 'noindex' })

export default function PageA() {
  return (
    <LabPage
      title="Page A"
      expect="Count and write something below, then go to page B: both stay, because the layout that holds them does."
    />
  )
}
