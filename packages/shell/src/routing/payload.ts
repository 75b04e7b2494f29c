import { DATA_PREFIX } from '@hull/common/constants.ts'
import type { PageOutcome } from '@hull/common/outcomes.ts'
import type { ErrorProps } from '../client/contracts/fallback.ts'
import type { RouteParams } from './route-matcher.ts'

/** An element of the head; `text` is its content, escaped for HTML. */
export type HeadTag = [name: 'meta' | 'link' | 'script', attributes: Record<string, string>, text?: string]

/** Title and meta tags of a page, as text. */
export interface HeadMeta {
  title?: string
  /** `titleTemplate` of the page and its layouts, for the title of an error in the browser. `%s` is the title. */
  template?: string
  description?: string
  canonical?: string
  robots?: string
  /** Other elements of the head. */
  tags?: HeadTag[]
  /** Attributes of `<html>`. */
  html?: Record<string, string>
  /** Attributes of `<body>`. */
  body?: Record<string, string>
}

/** A failure that is shown instead of the page. */
export type PageError = Pick<ErrorProps, 'digest' | 'message' | 'offline' | 'unreachable'> &
  Required<Pick<ErrorProps, 'side'>>

/** A page's data for the browser, in its document or from its page-data address. */
export interface PagePayload {
  /** Build that created the payload. If it is not the bundle's, the browser must load the document. */
  build: string
  /** Path of the page's file from the client root; null for an outcome instead of a page. */
  page: string | null
  /** Requested path, still encoded. */
  pathname: string
  params: RouteParams
  data: unknown
  /** Names of the layouts around the page, outermost first. */
  layouts: string[]
  /** Result of each layout's getData, in the same order; null for a layout without one. */
  layoutData: unknown[]
  meta: HeadMeta
  form?: { errors: Record<string, string | undefined>; values: Record<string, string | string[] | undefined> }
  /** Page data to request again after an action of a fetcher. */
  refresh?: 'page' | 'none' | string[]
  outcome?: PageOutcome
  /** Set if the application's own fallback is shown because the view of the innermost layout failed. */
  ownFallback?: true
  /** Path of the sign-in page, for components that need it in the browser; undefined if nobody can sign in. */
  signInPath?: string
  /** A failure that is shown instead of the page. */
  error?: PageError
  /** State that `client/context.ts` created for the visitor; in documents only. */
  state?: object
  /** Set if the page's `onEnter` requests rendering in the browser only. */
  clientOnly?: true
  /** Milliseconds after which the server ends this page's stream; for streaming pages only. */
  deadline?: number
}

/** Creates the payload of an outcome or error that is shown instead of a page. */
export const emptyPagePayload = (build: string, pathname: string): PagePayload => ({
  build,
  page: null,
  pathname,
  params: {},
  data: null,
  layouts: [],
  layoutData: [],
  meta: {}
})

/**
 * Encoding of a payload. `json` for a plain tree; `devalue` for data that JSON cannot carry (dates, maps, sets,
 * bigints, undefined, cycles, repeated references, promises); `stream` for devalue whose late values follow line by
 * line, as they settle.
 */
export type Codec = ValueCodec | 'stream'

/** Encoding of one value. */
export type ValueCodec = 'json' | 'devalue'

/** Response header with a payload's {@link Codec}. Without it, the body is not a payload. */
export const CODEC_HEADER = 'x-payload-codec'

/** Request header of a fetcher, which receives the result of an action instead of a page. */
export const FETCHER_HEADER = 'x-fetcher'

/** Response header of every document: the build that created it. */
export const BUILD_HEADER = 'x-build'

/**
 * Members of a 401, 403, 404 or 5xx answer at the page-data address, in addition to the problem's own (RFC 9457 §3.2).
 */
export interface PageProblem {
  meta: HeadMeta
  outcome?: PageOutcome
  codec: Codec
  /** Encoded payload of what a document would show instead of the page. */
  payload: string
}

/**
 * A settled promise of the data: its number in the payload, whether it was fulfilled, the encoded value or {@link
 * DeferredFailure}, and the codec of a value.
 */
export type DeferredValue = [id: number, ok: boolean, text: string, codec?: ValueCodec]

/** Encoded form of a late promise that rejected: an outcome, a redirect, or a digest. */
export interface DeferredFailure {
  outcome?: Omit<PageOutcome, 'signInHref'> & { signInPath?: string }
  redirect?: { to: string; external: boolean }
  digest?: string
}

/** Key under which devalue writes a promise. */
export const DEFERRED_KEY = 'Late'

/**
 * Id of the element that contains the payload in a document: the payload in the first line, late values in further
 * ones. In a stream it comes before the page, whose own ids must not be the same.
 */
export const PAYLOAD_ID = 'hull-payload'

/** Data attribute of the payload's element in a document that an export wrote. */
export const EXPORTED = 'exported'

/** A page's data in a file that an export wrote. A static host sends no {@link CODEC_HEADER}. */
export interface ExportedData {
  codec: Codec
  payload: string
}

/** Returns the address of the file with a page's data, from the page's path. */
export const toDataFile = (pathname: string): string => `${DATA_PREFIX}${pathname === '/' ? '' : pathname}.json`

/** Global array into which a streaming document pushes its late values. */
export const DEFERRED_QUEUE = '$late'
