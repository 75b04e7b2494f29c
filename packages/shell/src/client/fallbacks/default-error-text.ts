/*
 * The shell's own sentences for places where no component can be shown, if the application has no
 * `client/fallbacks/error-text.ts`.
 */

export const errorSentence = (host: string): string =>
  `Application error: a client-side or server-side exception has occurred while loading ${host} (see the browser console or server logs for more information).`

export const digestLine = (digest: string): string => `Digest: ${digest}`
