import { MAX_PROPAGATION_LENGTH, MAX_PROPAGATION_MEMBERS } from '../common/constants.ts'

/** Takes members one by one, for as long as a header has room for them. */
export class MemberList {
  readonly members: string[] = []
  #length = 0

  /** Adds a member whole, or not at all. */
  add(member: string): boolean {
    const length = this.#length + member.length + (this.members.length > 0 ? 1 : 0)
    if (length > MAX_PROPAGATION_LENGTH || this.members.length === MAX_PROPAGATION_MEMBERS) return false
    this.#length = length
    this.members.push(member)
    return true
  }

  toString(): string {
    return this.members.join(',')
  }
}

/** The members of a header in their order, without the space around them; empty ones are left out. */
export function splitMembers(header: string): string[] {
  return header
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '')
}
