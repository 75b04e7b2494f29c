import { use } from 'react'

export const layout = 'lab'

export const getMeta = () => ({ title: 'Never · Lab', robots: 'noindex' })

const never = new Promise<never>(() => {})

export default function NeverPage() {
  return use(never)
}
