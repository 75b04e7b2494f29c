export const layout = 'lab'

export function getData(): never {
  throw new Error('lab/error/data was asked for: getData throws')
}

export const getMeta = () => ({ title: 'Error in getData · Lab', robots: 'noindex' })

export default function ErrorInDataPage() {
  return null
}
