import { DATA_PREFIX } from '../../lib/common/constants.ts'
import type { Codec, PagePayload } from '../../lib/common/payload.ts'
import { decodePayload, LateValues } from './payload.ts'

/**
 * Fetches a page's data from its page-data address.
 * @param path path and query of the page
 * @returns the payload, or undefined for any other answer: load the document then
 */
export async function fetchPageData(path: string, signal?: AbortSignal): Promise<PagePayload | undefined> {
  const response = await fetch(DATA_PREFIX + path, {
    signal,
    credentials: 'same-origin',
    headers: { accept: 'application/json' }
  })
  const codec = response.headers.get('x-payload-codec')
  if (!response.ok || codec === null) return undefined
  return decodePayload(await response.text(), codec as Codec, new LateValues())
}
