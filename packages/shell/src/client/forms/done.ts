import type { Done, DoneOptions } from '../contracts/form.ts'

/**
 * Result of an action that took the input, for `useFetcher`: data for the component, and the page data to request
 * again. A form that is sent without a fetcher leads back to the page, as if the action had returned nothing.
 */
export function done<Data = undefined>(data?: Data, { refresh = 'page' }: DoneOptions = {}): Done<Data> {
  return { kind: 'done', data: data as Data, refresh }
}
