import { forbidden, type Ctx, type PageProps } from '@hull/shell/client'
import { ThrownFrom } from '../../components/lab/thrown-from.tsx'

export const layout = 'lab'

export function guard({ search }: Ctx) {
  if (!search.has('in')) forbidden()
}

export function getData({ search }: Ctx) {
  if (search.get('in') === 'data') forbidden()
  return { inComponent: search.get('in') === 'component' }
}

export const getMeta = () => ({ title: 'Forbidden · Lab', robots: 'noindex' })

export default function ForbiddenPage({ data }: PageProps<typeof getData>) {
  if (data.inComponent) forbidden()
  return <ThrownFrom title="Forbidden" path="/lab/forbidden" />
}
