import type { PageOutcome } from '@hull/common/outcomes.ts'
import type { RouteParams } from './route-tree.ts'

/** Title and meta tags of a page, as text. */
export interface HeadMeta {
  title?: string
  description?: string
  canonical?: string
  openGraph?: Record<string, string>
  robots?: string
  /** Further elements of the head. */
  tags?: Array<[name: 'meta' | 'link', attributes: Record<string, string>]>
  /** Attributes of `<html>`. */
  html?: Record<string, string>
  /** Attributes of `<body>`. */
  body?: Record<string, string>
}

/** A failure shown in place of the page. */
export interface PageError {
  side: 'server' | 'client'
  /** Finds the error in the server's log. */
  digest?: string
  /** The browser has no connection. */
  offline?: boolean
  /** The browser has a connection, and the server does not answer. */
  unreachable?: boolean
}

/** What the browser is given of a page, in its document or from its page-data address. */
export interface PagePayload {
  /** The build that made it; another one than the bundle's means the document must be loaded. */
  build: string
  /** The page's file, from the client root; null where an outcome stands in its place. */
  page: string | null
  /** The path asked for, still encoded. */
  pathname: string
  params: RouteParams
  data: unknown
  /** Names of the layouts around the page, outermost first. */
  layouts: string[]
  /** What each layout's getData returned, in the same order; null for one that has none. */
  layoutData: unknown[]
  meta: HeadMeta
  form?: { errors: Record<string, string | undefined>; values: Record<string, string> }
  outcome?: PageOutcome
  /** Where to sign in, for a component that asks for it in the browser; undefined where nobody can. */
  signInPath?: string
  /** A failure shown in place of the page. */
  error?: PageError
  /** What `client/context.ts` made for the visitor; in documents only. */
  state?: object
  /** The page's `onEnter` wants the component in the browser only. */
  clientOnly?: true
  /** Milliseconds after which the server ends this page's stream; with streaming pages only. */
  deadline?: number
}

/** The payload of what stands in the place of a page. */
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
 * How a payload is written. `json`: it is a plain tree. `devalue`: it holds what JSON cannot carry (dates, maps,
 * sets, bigints, undefined, cycles, repeated references, promises).
 */
export type Codec = 'json' | 'devalue'

/** Response header that says how a payload is written: a {@link Codec}. Where it is missing, the body is no payload. */
export const CODEC_HEADER = 'x-payload-codec'

/** Response header of every document that names the build which made it. */
export const BUILD_HEADER = 'x-build'

/** What a 401, 403, 404 or 5xx at the page-data address carries beside the problem's own members (RFC 9457 §3.2). */
export interface PageProblem {
  meta: HeadMeta
  outcome?: PageOutcome
  codec: Codec
  /** The encoded payload of what stands in the page's place: what a document would show. */
  payload: string
}

/**
 * A promise in the data, once it is settled: its number in the payload, how it ended, and the encoded value or
 * the encoded {@link DeferredFailure}.
 */
export type DeferredValue = [id: number, ok: boolean, text: string]

/** What the browser learns of a late promise that rejected: an outcome, a redirect, or a digest. */
export interface DeferredFailure {
  outcome?: Omit<PageOutcome, 'signInHref'> & { signInPath?: string }
  redirect?: { to: string; external: boolean }
  digest?: string
}

/** Key under which devalue writes a promise. */
export const DEFERRED_KEY = 'Late'

/** Element that carries the payload in a document: first line the payload, further lines late values. */
export const PAYLOAD_ID = 'payload'

/** Global array into which a streaming document pushes its late values. */
export const DEFERRED_QUEUE = '$late'
