/** Maximum characters of a name. A guess: every name we know fits. */
export const MAX_NAME_LENGTH = 60

/** Characters that change the direction of text, are invisible, or control the terminal. */
const MISLEADING = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Joiners and the emoji variation selector, which some scripts need. */
const KEPT = new Set(['\u200C', '\u200D', '\uFE0F'])

/** Normalised name; undefined if it has no visible character or is too long. */
export function toPersonName(text: string): string | undefined {
  const name = text
    .normalize('NFC')
    .replace(MISLEADING, (character) => (KEPT.has(character) ? character : ' '))
    .replace(/\s+/g, ' ')
    .trim()
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) && name.length <= MAX_NAME_LENGTH ? name : undefined
}

/** Key under which names that look the same are equal. */
export const foldName = (name: string): string => name.normalize('NFKC').toLowerCase()
