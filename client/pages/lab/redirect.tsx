import { redirect } from '#shell'

export const layout = 'lab'

export const getData = () => redirect('/lab/items')

export const getMeta = () => ({ title: 'Redirect · Lab', robots: 'noindex' })

export default function RedirectPage() {
  return null
}
