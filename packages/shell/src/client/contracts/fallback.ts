/* Types of the components and of the document in `client/fallbacks/`. */

/** Props of the components in `client/fallbacks/` for 401, 403 and 404. */
export interface FallbackProps {
  status: 401 | 403 | 404
  /** A sentence for the visitor. */
  message: string
  /** Requested path, encoded. */
  pathname: string
  /** Address of the sign-in page, which returns here. Only with 401, if `SIGN_IN_PATH` is set or `unauthorized()` named a page. */
  signInHref?: string
}

/** Props of `client/fallbacks/error.tsx`. */
export interface ErrorProps {
  /** Host name of the request. */
  host: string
  /** Identifies the error in the server's log and in the inbox. An error of the browser is only in the inbox. */
  digest?: string
  /** A sentence for the visitor, if the server knows what is out of order. It replaces a sentence about the side. */
  message?: string
  /** Side that failed, if known. */
  side?: 'server' | 'client'
  /** The browser has no connection, and retries when the connection is back. */
  offline?: boolean
  /** The browser has a connection, but the server does not answer. */
  unreachable?: boolean
  /** Requests the page's data again, without a reload. Only in the browser. */
  retry?: () => void
}

/** Argument of the default export of `client/fallbacks/error-document.ts`, which returns a whole document. */
export interface ErrorDocumentProps extends Omit<ErrorProps, 'retry'> {
  /** Addresses of the stylesheets of every page. @default [] */
  stylesheets?: string[]
  /** Address of the home page. @default '/' */
  home?: string
  /** @default 'en' */
  lang?: string
}

/** Props of `client/fallbacks/refused.tsx`, for a request that was refused, such as 405. */
export interface RefusalProps {
  status: number
  /** Name of the status, such as "Method Not Allowed". */
  title: string
  /** A sentence for the visitor. */
  message: string
  /** Stable code, explained in docs/errors.md. */
  code: string
  /** Method of the request, such as POST. A GET or HEAD would have changed nothing. */
  method: string
}
