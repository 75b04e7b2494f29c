import type { ErrorProps } from '../shell/contract.ts'

/* The words of the error page, once for React and once for the document that needs none. */

export const errorSentence = (host: string) =>
  `Application error: a client-side or server-side exception has occurred while loading ${host} (see the browser console or server logs for more information).`

export const digestLine = (digest: string) => `Digest: ${digest}`

/** In place of the line on the side that failed. */
export const OFFLINE_LINE = 'There is no connection. The page loads by itself as soon as there is one.'

/** In place of the line on the side that failed. */
export const UNREACHABLE_LINE = 'The server cannot be reached. Try again in a moment.'

export function sideLine(side: NonNullable<ErrorProps['side']>): string {
  return side === 'server'
    ? 'It failed on the server, and not through anything you did.'
    : 'It failed in the browser, after the page had arrived.'
}
