import { redirect } from '@hull/shell/client'

export const layout = 'lab'

export const getData = () => redirect('/lab/redirect-loop')

export const getMeta = () => ({ title: 'Redirect loop · Lab', robots: 'noindex' })

export default function RedirectLoopPage() {
  return null
}
