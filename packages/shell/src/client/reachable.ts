import { ROUTE_LOAD_TIMEOUT } from '@hull/common/constants.ts'
import { within } from './timeout.ts'

/** Answered by the process itself, whatever its pages do. */
const ALIVE_PATH = '/healthz'

/** A proxy answered in the place of the server. */
export class BadGateway extends Error {
  override readonly name = 'BadGateway'
}

/** Whether a status is a proxy's, for a server that does not answer. */
export const isGatewayError = (status: number): boolean => status >= 502 && status <= 504

/**
 * Whether the server answers at all. To be asked before a document takes the page's place: the browser's own error page
 * would end the application.
 */
export async function isReachable(): Promise<boolean> {
  try {
    // A redirect leads to a proxy's sign-in page: the document can be loaded.
    const asked = fetch(ALIVE_PATH, { method: 'HEAD', cache: 'no-store', redirect: 'manual' })
    const { status } = await within(ROUTE_LOAD_TIMEOUT, asked)
    return !isGatewayError(status)
  } catch {
    return false
  }
}
