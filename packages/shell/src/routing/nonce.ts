/** Name of the element that contains a document's nonce. Vite's client reads the same one. */
export const NONCE_PROPERTY = 'csp-nonce'

/** Returns the element that passes the document's nonce to scripts. */
export const nonceTag = (nonce: string): string => `<meta property="${NONCE_PROPERTY}" nonce="${nonce}">`

/** Returns the document's nonce in the browser; undefined if it has none. */
export const findNonce = (): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[property=${NONCE_PROPERTY}]`)?.nonce || undefined
