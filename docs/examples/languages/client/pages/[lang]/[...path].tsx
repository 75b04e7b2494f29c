import { notFound } from '@hull/shell/client'

/** Addresses without a page: the layout's `NotFoundView` is shown, in the language of the address. */
export const layout = 'language'

export const getData = () => notFound()

export default () => null
