import { ROUTE_LOAD_TIMEOUT } from '@hull/common/constants.ts'
import { withBasePath } from '../base-path.ts'
import { withTimeout } from '../timeout.ts'

/** Answered by the process itself, independent of its pages. */
const ALIVE_PATH = withBasePath('/healthz')

/** Milliseconds after each failed check. Our choice: a network is usable within seconds of the browser's `online`. */
const CHECK_DELAYS = [250, 500, 1_000, 2_000, 4_000, 8_000]

/** Error for an answer of a proxy whose server does not respond, or of a server that refuses requests for now. */
export class BadGateway extends Error {
  override readonly name = 'BadGateway'
  /** Sentence of the server; undefined for an answer of a proxy. */
  readonly refusal: string | undefined

  constructor(status: number, refusal?: string) {
    super(`answered ${status}`)
    this.refusal = refusal
  }
}

/** Whether a proxy sends this status if the server does not respond. */
export const isGatewayError = (status: number): boolean => status >= 502 && status <= 504

/**
 * Whether the server responds. Check this before loading a document: the browser's own error page would replace the
 * application.
 */
export async function isReachable(): Promise<boolean> {
  try {
    // A redirect may lead to a proxy's sign-in page, which can be loaded as a document.
    const asked = fetch(ALIVE_PATH, { method: 'HEAD', cache: 'no-store', redirect: 'manual' })
    const { status } = await withTimeout(ROUTE_LOAD_TIMEOUT, asked)
    return !isGatewayError(status)
  } catch {
    return false
  }
}

/**
 * Resolves when the server responds, or has not after all checks. A browser that says it is online may have to wait for
 * an address or a name server.
 */
export async function untilReachable(): Promise<void> {
  for (const delay of CHECK_DELAYS) {
    if (await isReachable()) return
    await new Promise((resolve) => setTimeout(resolve, delay))
  }
}
