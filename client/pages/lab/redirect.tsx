import { redirect } from '@hull/shell/client'

export const layout = 'lab'

export const getData = () => redirect('/lab/items')

export const getMeta = () => ({ title: 'Redirect · Lab', robots: 'noindex' })

export default function RedirectPage() {
  return null
}
