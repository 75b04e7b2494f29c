/** Name of the element that carries a document's nonce; the one that Vite's client reads. */
export const NONCE_PROPERTY = 'csp-nonce'

/** The element that hands the document's nonce to scripts. */
export const nonceTag = (nonce: string): string => `<meta property="${NONCE_PROPERTY}" nonce="${nonce}">`

/** In the browser: the document's nonce, if it has one. */
export const findNonce = (): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[property=${NONCE_PROPERTY}]`)?.nonce || undefined
