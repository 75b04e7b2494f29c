import { createHash } from 'node:crypto'
import {
  UNKNOWN_FILE,
  type EventDetail,
  type ExceptionDetail,
  type Frame,
  type Grouping,
  type Side
} from '../store/model.ts'
import { mainException } from '../web/error-title.ts'

/**
 * Version of the algorithm, part of each key. A new version makes new keys; the table `issue_key` assigns keys to
 * issues.
 */
export const ALGORITHM = 1

/** Innermost own frames in the key. With more, the same error would have an issue for each caller. */
const MAX_PLACES = 3

/** Maximum characters shown of a part. The key includes all of it. */
const MAX_SHOWN = 300

/** Maximum parts shown of a fingerprint. */
const MAX_SHOWN_PARTS = 20

const DEFAULT = /^\{\{\s{0,8}default\s{0,8}\}\}$/

type Reasons = Grouping['why']

/**
 * Computes the key of an event: events with the same key belong to the same issue. The key is the same in every deploy,
 * because it includes no line, column, file hash or value. Expects frames to which source maps are already applied.
 * @see docs/decisions/022-grouping.md
 */
export function groupEvent(event: EventDetail): Grouping {
  const usual = toUsualReasons(event)
  const reasons = toFingerprintReasons(event.fingerprint, usual) ?? usual
  const key = createHash('sha256')
    .update(JSON.stringify([`v${ALGORITHM}`, reasons.by, ...reasons.parts]))
    .digest('hex')
  return { key, algorithm: ALGORITHM, why: toShown(reasons) }
}

/** Returns the event's own fingerprint; undefined if it has none, or only asks for the default. */
function toFingerprintReasons(fingerprint: readonly string[] | undefined, usual: Reasons): Reasons | undefined {
  const named = fingerprint?.filter((part) => part.trim() !== '')
  if (!named || named.every((part) => DEFAULT.test(part))) return undefined
  return { by: 'fingerprint', parts: named.flatMap((part) => (DEFAULT.test(part) ? usual.parts : [part])) }
}

function toUsualReasons(event: EventDetail): Reasons {
  const exception = mainException(event.exceptions)
  // SDKs attach the stack of a message as an error without a type. Two messages of one function are two issues.
  if (!exception || (exception.type === '' && event.message !== undefined))
    return { by: 'message', parts: [normaliseMessage(event.template ?? event.message ?? '') || 'no message'] }
  const type = exception.type || 'Error'
  const isPlaced = areFramesMeaningful(exception)
  const places = isPlaced ? listOwnPlaces(exception.frames, event.side, MAX_PLACES) : []
  if (places.length > 0) return { by: 'frames', parts: [type, ...places] }
  // Frames of libraries are the same on every page, for example those of a timeout; the route shows which page failed.
  const route = isPlaced && event.route !== undefined ? [event.route] : []
  return { by: 'message', parts: [type, normaliseMessage(exception.value) || 'no message', ...route] }
}

const toShown = ({ by, parts }: Reasons): Reasons => ({
  by,
  parts: parts
    .slice(0, MAX_SHOWN_PARTS)
    .map((part) => (part.length > MAX_SHOWN ? `${part.slice(0, MAX_SHOWN)}…`.toWellFormed() : part))
})

/** Maximum characters of a message to inspect. */
const MAX_MESSAGE = 1_000

const REACT_CODE = /Minified React error #(\d{1,6})/

/**
 * Errors that can occur anywhere, so that the frames say nothing about the cause: a chunk that fails to load, in the
 * words of webpack, Vite, Chromium, Firefox and Safari; a hydration mismatch.
 */
const LOCATION_INDEPENDENT = [
  /^Loading (?:CSS )?chunk /,
  /^Unable to preload CSS for /,
  /^Failed to fetch dynamically imported module/,
  /^error loading dynamically imported module/,
  /^Importing a module script failed/,
  /^Hydration failed because /,
  /^There was an error while hydrating/,
  /^Text content does not match server-rendered HTML/,
  /^Expected server HTML to contain /,
  /^This Suspense boundary received an update before it finished hydrating/,
  REACT_CODE
]

/** Each alternative is bounded or matches in one way only, so that the time is linear in the message's length. */
const VALUES = new RegExp(
  [
    /(?<url>\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'`<>()]+|(?<![\w.])\/[^\s"'`<>()]{1,300}\.(?:[cm]?js|css)\b)/,
    /(?<email>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})/,
    /(?<uuid>(?<![\da-z])[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}(?![\da-z]))/,
    /(?<hex>(?<![\da-z])(?:0x[\da-f]+|(?=[a-f]{0,128}\d)(?=\d{0,128}[a-f])[\da-f]{8,128})(?![\da-z]))/,
    // Random letters and digits, as in `pi_3MtwBwLkdIwHu7ix28a3tqPa`. A name such as `OAuth2AccessToken` has digits once.
    /(?<id>(?<![\da-z])(?=[a-z]{0,128}\d{1,128}[a-z]{1,128}\d)[\da-z]{16,128}(?![\da-z]))/,
    /(?<quoted>(?<!\w)(?:"[^"]*"|'[^']*'|`[^`]*`|“[^”]*”|‘[^’]*’|«[^»]*»)(?!\w))/,
    /(?<number>(?<!\w)-?\d+(?:[.,:]\d+)*|\d+(?:[.,:]\d+)*)/
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi'
)

/** Whether the frames identify the error. */
const areFramesMeaningful = ({ type, value }: ExceptionDetail): boolean => {
  const text = value.slice(0, MAX_MESSAGE)
  return type !== 'ChunkLoadError' && !LOCATION_INDEPENDENT.some((pattern) => pattern.test(text))
}

/**
 * Returns the first line of a message, with placeholders for values that differ between visitors; '' if there is none.
 */
export function normaliseMessage(message: string): string {
  const text = message
    .slice(0, MAX_MESSAGE * 4)
    .trimStart()
    .slice(0, MAX_MESSAGE)
  const react = REACT_CODE.exec(text)
  if (react) return react[0]
  const line = /^[^\r\n]*/.exec(text)![0]
  return line
    .replace(VALUES, (...match) => {
      const kinds = match.at(-1) as Record<string, string | undefined>
      return `<${Object.keys(kinds).find((kind) => kinds[kind] !== undefined)}>`
    })
    .replace(/\s+/g, ' ')
    .trim()
}

/** Maximum characters of a source line that replaces a missing name, or completes that of a handler. */
const MAX_LINE = 160

/** Maximum characters of a path or name to inspect; nothing longer is a file. */
const MAX_NAME = 1_000

/** Files that a development server sends unbuilt and that no build produces. */
const SOURCE_FILE = /\.(?:[cm]?tsx?|jsx|vue|svelte|astro)$/i
const MINIFIED_FILE = /\.min\.[cm]?js$/i
const ADDRESS = /^[a-z][a-z0-9+.-]{1,30}:/i
const NO_FILE = /^(?:<anonymous>|anonymous|native|\[native code\]|unknown|\?)?$/

/** `index-BXk29dA3.js` of Vite and Rollup, `main.3f2a1b9c.chunk.js` of webpack. */
const FILE_HASH = /(?:-[\w-]{8}|[-.][0-9a-f]{8,32})(?=(?:\.chunk)?\.(?:[cm]?js|css)$)/

/** A folder named after a deploy: a date, a version, a commit. */
const DEPLOY_FOLDER = /\/(?:\d{6,}[\d._-]*|v?\d+\.\d+\.\d+[\w.+-]*|(?=[a-f]*\d)[0-9a-f]{7,64})(?=\/)/g

/** Prefixes that engines add to a name: `async new Object.run`, Firefox's `async*run`. */
const DECORATION = /^(?:async[\s*]\s{0,4}|(?:new|[gs]et)\s{1,4}|(?:Object|Module)\.){1,8}/
/** Suffixes of a name: `run [as onClick]`; Firefox's `run/<`; Rollup's `run$1`. */
const SUFFIX = /\s\[as [^\]]{0,200}\]$|[/<]{1,8}$|\$\d{1,4}$/
/** Name that engines give to `onClick={() => …}`: all such handlers of a file have the same. */
const HANDLER = /^on[A-Z]/
const NO_NAME = /^(?:<anonymous>|\(?anonymous\)?|<unknown>|<computed>|\?)?$/

/**
 * Returns the innermost own frames as text, at most `count`; recursive calls count once.
 * @param frames innermost first
 */
function listOwnPlaces(frames: readonly Frame[], side: Side, count: number): string[] {
  const places: string[] = []
  for (const frame of frames) {
    if (!frame.inApp || !isResolved(frame, side)) continue
    const place = toPlace(frame, places.length === 0)
    if (place !== places.at(-1)) places.push(place)
    if (places.length === count) break
  }
  return places
}

/**
 * Whether a frame's names are those of the source. In a browser they are if a map was applied or the file type is never
 * built; minified names change with every build. A server runs the source, or a bundle that keeps names.
 */
function isResolved(frame: Frame, side: Side): boolean {
  const { file, built, source } = frame
  if (built) return true
  const path = toPath(file)
  if (NO_FILE.test(path)) return false
  // As native code has them whose symbols are not known.
  if (path === UNKNOWN_FILE && toBareName(frame) === '' && source === undefined) return false
  if (SOURCE_FILE.test(path)) return true
  return side === 'server' && !/^https?:/i.test(file) && !MINIFIED_FILE.test(path)
}

/** Returns a text such as `submit in client/cart.tsx`, without line, column, hash of a build or folder of a deploy. */
const toPlace = (frame: Frame, isInnermost: boolean): string => `${toName(frame, isInnermost)} in ${toFile(frame)}`

function toFile({ file }: Frame): string {
  const path = toPath(file)
  const stable = path.startsWith('/') ? withoutDeploy(path) : path
  return stable.replace(FILE_HASH, (match) => (isHash(match) ? '' : match))
}

function toName(frame: Frame, isInnermost: boolean): string {
  const name = toBareName(frame)
  if (name && !(isInnermost && HANDLER.test(name))) return name
  const line = frame.source?.line.slice(0, MAX_NAME).trim().slice(0, MAX_LINE).replace(/\s+/g, ' ')
  return [name, line && `\`${line}\``].filter(Boolean).join(' ') || 'a function without a name'
}

/** Returns the function's name without decoration; '' if there is none. */
function toBareName({ function: name = '' }: Frame): string {
  const bare = name.slice(0, MAX_NAME).trim().replace(DECORATION, '').replace(SUFFIX, '')
  return NO_NAME.test(bare) ? '' : bare
}

/** Returns the path of a file or URL, with `/` and without query and hash. */
function toPath(file: string): string {
  const path = file
    .slice(0, MAX_NAME)
    .replaceAll('\\', '/')
    .replace(/[?#].*$/s, '')
  if (/^[a-z]:\//i.test(path)) return path.slice(2)
  if (!ADDRESS.test(path)) return path.replace(/^(?:\.{1,2}\/)+/, '')
  return path
    .replace(ADDRESS, '')
    .replace(/^\/\/[^/]*/, '')
    .replace(/^\/\.\//, '/')
}

/** Removes the path up to a deploy's folder. Only for absolute paths: relative ones are paths in the project. */
function withoutDeploy(path: string): string {
  const last = [...path.matchAll(DEPLOY_FOLDER)].at(-1)
  return last ? path.slice(last.index + last[0].length) : path
}

/** Whether a text looks like a hash: it has digits, or capitals among small letters. An eight-letter word does not. */
const isHash = (text: string): boolean => /\d/.test(text) || (/[A-Z]/.test(text) && /[a-z]/.test(text))
