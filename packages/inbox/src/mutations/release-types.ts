import type { Author } from './author.ts'

/** Person in whose name a build tool makes a change. */
export interface TokenAuthor extends Author {
  /** Name of the tool's token. */
  token?: string | undefined
}

export interface ReleaseCommit {
  id: string
  /** First line of the message. */
  title: string
  author?: string | undefined
  /** Milliseconds since the epoch. */
  at?: number | undefined
}
