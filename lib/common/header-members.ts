import { MAX_PROPAGATION_LENGTH, MAX_PROPAGATION_MEMBERS } from './constants.ts'

/** Takes members one by one, for as long as a header has room for them. */
export class MemberList {
  /** The members so far, as a header. */
  text = ''
  #size = 0
  readonly #separator: string

  /** @param separator what will stand between members */
  constructor(separator = ',') {
    this.#separator = separator
  }

  /** Adds a member whole, or not at all. */
  add(member: string): boolean {
    const text = this.#size === 0 ? member : this.text + this.#separator + member
    if (text.length > MAX_PROPAGATION_LENGTH || this.#size === MAX_PROPAGATION_MEMBERS) return false
    this.text = text
    this.#size++
    return true
  }
}

/** The members of a header in their order, without the space around them; empty ones are left out. */
export function splitMembers(header: string): string[] {
  return header
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '')
}
