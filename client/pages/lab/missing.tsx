import { notFound, type Ctx, type PageProps } from '@hull/shell/client'
import { ThrownFrom } from '../../components/lab/thrown-from.tsx'

export const layout = 'lab'

export function guard({ search }: Ctx) {
  if (!search.has('in')) notFound()
}

export function getData({ search }: Ctx) {
  if (search.get('in') === 'data') notFound()
  return { inComponent: search.get('in') === 'component' }
}

export const getMeta = () => ({ title: 'Missing · Lab', robots: 'noindex' })

export default function MissingPage({ data }: PageProps<typeof getData>) {
  if (data.inComponent) notFound()
  return <ThrownFrom title="Missing" path="/lab/missing" />
}
