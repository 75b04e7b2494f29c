import type { Frame, Side } from '../store/model.ts'

/** Characters of a source line that stand in for a name. */
const MAX_LINE = 160

/** Characters of a path or name that are looked at: what is longer is no file. */
const MAX_NAME = 1_000

/** What a development server sends as it was written, and no build produces. */
const SOURCE_FILE = /\.(?:[cm]?tsx?|jsx|vue|svelte|astro)$/i
const MINIFIED_FILE = /\.min\.[cm]?js$/i
const ADDRESS = /^[a-z][a-z0-9+.-]{1,30}:/i
const NO_FILE = /^(?:<anonymous>|anonymous|native|\[native code\]|unknown|\?)?$/

/** `index-BXk29dA3.js` of Vite and Rollup, `main.3f2a1b9c.chunk.js` of webpack. */
const FILE_HASH = /(?:-[\w-]{8}|[-.][0-9a-f]{8,32})(?=(?:\.chunk)?\.(?:[cm]?js|css)$)/

/** A folder that is named by its deploy: a date, a version, a commit. */
const DEPLOY_FOLDER = /\/(?:\d{6,}[\d._-]*|v?\d+\.\d+\.\d+[\w.+-]*|(?=[a-f]*\d)[0-9a-f]{7,64})(?=\/)/g

/** How engines and calls decorate a name: `async new Object.run`, Firefox's `async*run`. */
const DECORATION = /^(?:async[\s*]\s{0,4}|(?:new|[gs]et)\s{1,4}|(?:Object|Module)\.){1,8}/
/** `run [as onClick]`; Firefox's `run/<`; Rollup's `run$1`. */
const SUFFIX = /\s\[as [^\]]{0,200}\]$|[/<]{1,8}$|\$\d{1,4}$/
const NO_NAME = /^(?:<anonymous>|\(?anonymous\)?|<unknown>|<computed>|\?)?$/

/**
 * The innermost own frames as text, at most `count`; calls of a function by itself count once.
 * @param frames innermost first
 */
export function listOwnPlaces(frames: readonly Frame[], side: Side, count: number): string[] {
  const places: string[] = []
  for (const frame of frames) {
    if (!frame.inApp || !isResolved(frame, side)) continue
    const place = toPlace(frame)
    if (place !== places.at(-1)) places.push(place)
    if (places.length === count) break
  }
  return places
}

/**
 * Whether a frame's names are those of the source. Of a browser's code they are when a map led to it, or when it is of a
 * kind that is never built; short names of minified code change with every build. A server runs what was written, or a
 * bundle that keeps its names.
 */
function isResolved({ file, built }: Frame, side: Side): boolean {
  if (built) return true
  const path = toPath(file)
  if (NO_FILE.test(path)) return false
  if (SOURCE_FILE.test(path)) return true
  return side === 'server' && !/^https?:/i.test(file) && !MINIFIED_FILE.test(path)
}

/** Such as `submit in client/cart.tsx`: no line or column, no hash of a build, no folder of a deploy. */
const toPlace = (frame: Frame): string => `${toName(frame)} in ${toFile(frame)}`

function toFile({ file }: Frame): string {
  const path = toPath(file)
  const stable = path.startsWith('/') ? withoutDeploy(path) : path
  return stable.replace(FILE_HASH, (match) => (isHash(match) ? '' : match))
}

function toName(frame: Frame): string {
  const name = toBareName(frame)
  if (name) return name
  const line = frame.source?.line.slice(0, MAX_NAME).trim().slice(0, MAX_LINE).replace(/\s+/g, ' ')
  return line ? `\`${line}\`` : 'a function without a name'
}

/** '' where it has none. */
function toBareName({ function: name = '' }: Frame): string {
  const bare = name.slice(0, MAX_NAME).trim().replace(DECORATION, '').replace(SUFFIX, '')
  return NO_NAME.test(bare) ? '' : bare
}

/** The path of a file or an address, with `/`, without what follows `?` or `#`. */
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

/** Absolute paths only: relative ones are those of the project. */
function withoutDeploy(path: string): string {
  const last = [...path.matchAll(DEPLOY_FOLDER)].at(-1)
  return last ? path.slice(last.index + last[0].length) : path
}

/** A word of eight letters is none: a hash has digits, or capitals among small letters. */
const isHash = (text: string): boolean => /\d/.test(text) || (/[A-Z]/.test(text) && /[a-z]/.test(text))
