/**
 * Characters that are invisible or misleading: control characters except tab and line break, marks that change the
 * direction of text, characters without width, unpaired surrogates, foreign line breaks.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** More marks on one letter than any script needs, which would cover the lines above and below. */
const EXCESS_MARKS = /(\p{M}{4})(\p{M}+)/gu

/** Scripts in which a joiner or non-joiner between two letters belongs to the spelling (Unicode, 23.2 Layout Controls). */
const JOINING = 'Arab Syrc Mong Nkoo Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr'

/** Joiners and variation selectors after an emoji belong to it. */
const IS_IN_EMOJI = /\p{Emoji}$/u

/** Text, or the name of a character to show in its place. */
export type TextPart = string | { character: string }

/** Splits a text into visible parts and names of invisible characters. Nearly every text is a single part. */
export function toVisibleParts(text: string): TextPart[] {
  const parts: TextPart[] = []
  let from = 0
  const whole = text.replace(EXCESS_MARKS, '$1')
  for (const match of whole.matchAll(INVISIBLE)) {
    const [character] = match
    if (character === '\n' || character === '\t' || isKept(whole, match.index, character)) continue
    if (match.index > from) parts.push(whole.slice(from, match.index))
    // A line may end with CRLF.
    if (character !== '\r' || whole[match.index + 1] !== '\n') parts.push({ character: nameOf(character) })
    from = match.index + character.length
  }
  if (from < whole.length || parts.length === 0) parts.push(whole.slice(from))
  return parts
}

/** The same as a string, for titles, labels and files. An invisible character is shown as `⟨U+202E⟩`. */
export const toVisibleText = (text: string): string =>
  toVisibleParts(text)
    .map((part) => (typeof part === 'string' ? part : `⟨${part.character}⟩`))
    .join('')

/** Shortens a text to `length` characters, never inside a surrogate pair. `…` marks an omission. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text
  const end = /[\uD800-\uDBFF]/.test(text[length - 2] ?? '') ? length - 2 : length - 1
  return `${text.slice(0, end)}…`
}

/** Whether an invisible character belongs to an emoji, or to the spelling of a word. */
const isKept = (text: string, index: number, character: string): boolean =>
  isInEmoji(text, index, character) || isInWord(text, index, character)

function isInWord(text: string, index: number, character: string): boolean {
  if (character !== '\u200C' && character !== '\u200D') return false
  const { ends, begins } = (joining ??= createJoining())
  return ends.test(text.slice(Math.max(index - 2, 0), index)) && begins.test(text.slice(index + 1, index + 3))
}

/** Patterns for a text that ends or begins with a letter of {@link JOINING}. */
let joining: Record<'ends' | 'begins', RegExp> | undefined

/** Called with the first joiner: these patterns take milliseconds of each start, and of each thread. */
function createJoining() {
  const letter = `[${JOINING.replace(/\w+ ?/g, (script) => `\\p{scx=${script.trim()}}`)}]`
  return { ends: new RegExp(`${letter}$`, 'u'), begins: new RegExp(`^${letter}`, 'u') }
}

function isInEmoji(text: string, index: number, character: string): boolean {
  if (character !== '\u200D' && character !== '\uFE0F' && character !== '\uFE0E') return false
  const before = text.slice(Math.max(index - 3, 0), index).replace(/\uFE0F$/, '')
  if (!IS_IN_EMOJI.test(before)) return false
  return character !== '\u200D' || /^\p{Extended_Pictographic}/u.test(text.slice(index + 1, index + 3))
}

/** Names of the control characters (ISO 6429). */
const CONTROLS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' '
  )

function nameOf(character: string): string {
  const code = character.codePointAt(0)!
  return CONTROLS[code] ?? (code === 0x7f ? 'DEL' : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`)
}
