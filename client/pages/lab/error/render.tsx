export const layout = 'lab'

export const getMeta = () => ({ title: 'Error while rendering · Lab', robots: 'noindex' })

export default function ErrorInRenderPage(): never {
  throw new Error('lab/error/render was asked for: the component throws')
}
