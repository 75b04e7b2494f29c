import type { ExceptionDetail } from '../store/model.ts'

/** Characters of a message that are looked at. */
const MAX_MESSAGE = 1_000

const REACT_CODE = /Minified React error #(\d{1,6})/

/**
 * Errors that are thrown wherever the visitor happens to be: the frames say nothing of the cause. A chunk that does not
 * load, in the words of webpack, Vite, Chromium, Firefox and Safari; a page that hydrates into something else.
 */
const PLACELESS = [
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

/** Each alternative is bounded or cannot match in two ways, so that no message takes longer than its length. */
const VALUES = new RegExp(
  [
    /(?<url>\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'`<>()]+|(?<![\w.])\/[^\s"'`<>()]{1,300}\.(?:[cm]?js|css)\b)/,
    /(?<email>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})/,
    /(?<uuid>(?<![\da-z])[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}(?![\da-z]))/,
    /(?<hex>(?<![\da-z])(?:0x[\da-f]+|(?=[a-f]{0,128}\d)(?=\d{0,128}[a-f])[\da-f]{8,128})(?![\da-z]))/,
    /(?<quoted>(?<!\w)(?:"[^"]*"|'[^']*'|`[^`]*`|“[^”]*”|‘[^’]*’|«[^»]*»)(?!\w))/,
    /(?<number>(?<!\w)-?\d+(?:[.,:]\d+)*|\d+(?:[.,:]\d+)*)/
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi'
)

/** Whether the place where it was thrown tells this error from others. */
export const isBlamedOnFrames = ({ type, value }: ExceptionDetail): boolean => {
  const text = value.slice(0, MAX_MESSAGE)
  return type !== 'ChunkLoadError' && !PLACELESS.some((pattern) => pattern.test(text))
}

/** The first line of a message without what differs from one visitor to the next; '' for nothing. */
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
