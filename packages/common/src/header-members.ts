import { MAX_BAGGAGE_MEMBERS, MAX_PROPAGATION_LENGTH } from './constants.ts'

/** Collects members of `baggage` or `tracestate` as long as the header has room. */
export class MemberList {
  /** Members so far, as a header. */
  text = ''
  #size = 0
  readonly #separator: string

  /** @param separator written between members */
  constructor(separator = ',') {
    this.#separator = separator
  }

  /** Adds a whole member. Returns false, and adds nothing, if it does not fit. */
  add(member: string): boolean {
    const text = this.#size === 0 ? member : this.text + this.#separator + member
    if (text.length > MAX_PROPAGATION_LENGTH || this.#size === MAX_BAGGAGE_MEMBERS) return false
    this.text = text
    this.#size++
    return true
  }
}

/** Splits a header into its members, without surrounding whitespace and without empty members. */
export function splitMembers(header: string): string[] {
  return header
    .split(',')
    .map(trimWhitespace)
    .filter((member) => member !== '')
}

/**
 * Removes spaces and tabs, the only optional whitespace (RFC 9110 §5.6.3); `trim` would also remove a no-break space.
 */
function trimWhitespace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isWhitespace(text.charCodeAt(start))) start++
  while (end > start && isWhitespace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const isWhitespace = (code: number): boolean => code === 0x20 || code === 0x09
