import type { ErrorProps } from '@hull/shell/client'

/* Texts of the error pages, for React and for the document without React. */

export const errorSentence = (host: string) =>
  `Application error: a client-side or server-side exception has occurred while loading ${host} (see the browser console or server logs for more information).`

/** First sentence, for visitors who are not engineers. */
export const ERROR_LEAD = 'Something went wrong'

export const digestLine = (digest: string) => `Digest: ${digest}`

/** Shown below a digest. */
export const QUOTE_LINE = 'If you report this problem, quote the digest. It identifies the error.'

/** Replaces the status line of the side that failed. */
export const OFFLINE_LINE = 'You are offline. The page loads again as soon as you are back online.'

/** Replaces the status line of the side that failed. */
export const UNREACHABLE_LINE = 'The server cannot be reached. Try again in a moment.'

/** @param message sentence of the server, which replaces that about the side */
export function sideLine(side: NonNullable<ErrorProps['side']>, message?: string): string {
  if (message) return toSentence(message)
  return side === 'server'
    ? 'The error happened on the server. You did nothing wrong.'
    : 'The error happened in the browser, after the page had loaded.'
}

/** Messages of errors have no full stop. */
export const toSentence = (message: string): string => (/[.?!]$/.test(message) ? message : `${message}.`)
