/** Characters of a name. A guess: every name that we know fits. */
export const MAX_NAME_LENGTH = 60

/** What would turn the text around it, hide in it, or not be seen. */
const MISLEADING = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** The joiners, and the mark of an emoji: some languages are written with them. */
const KEPT = new Set(['\u200C', '\u200D', '\uFE0F'])

/** A name as it is kept; undefined where nothing is left to be read, or it is too long. */
export function toPersonName(text: string): string | undefined {
  const name = text
    .normalize('NFC')
    .replace(MISLEADING, (character) => (KEPT.has(character) ? character : ' '))
    .replace(/\s+/g, ' ')
    .trim()
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) && name.length <= MAX_NAME_LENGTH ? name : undefined
}

/** What two names that a reader would take for the same have in common. */
export const foldName = (name: string): string => name.normalize('NFKC').toLowerCase()
