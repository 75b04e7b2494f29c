import type { ErrorProps } from '@hull/shell/client'

/* The words of the error page, once for React and once for the document that needs none. */

export const errorSentence = (host: string) =>
  `Application error: a client-side or server-side exception has occurred while loading ${host} (see the browser console or server logs for more information).`

/** Above the sentence, for readers who are not engineers. */
export const ERROR_LEAD = 'Something went wrong'

export const digestLine = (digest: string) => `Digest: ${digest}`

/** Below a digest. */
export const QUOTE_LINE = 'If you report this problem, quote the digest. It identifies the error.'

/** In place of the line on the side that failed. */
export const OFFLINE_LINE = 'You are offline. The page loads again as soon as you are back online.'

/** In place of the line on the side that failed. */
export const UNREACHABLE_LINE = 'The server cannot be reached. Try again in a moment.'

export function sideLine(side: NonNullable<ErrorProps['side']>): string {
  return side === 'server'
    ? 'The error happened on the server. You did nothing wrong.'
    : 'The error happened in the browser, after the page had loaded.'
}
