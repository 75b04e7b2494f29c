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

/** Changes that build tools make: releases, deploys and uploaded source maps. */
export interface ReleaseChanges {
  /**
   * Adds to a release.
   * @param creates whether each of the projects then has the release; otherwise only those that have it are changed
   * @param commits newest first; replaces those of before
   * @throws InboxReleaseNotFound
   */
  declareRelease: (
    input: TokenAuthor & {
      version: string
      projects: number[]
      creates: boolean
      /** Milliseconds since the epoch at which it was finalized. */
      released?: number | undefined
      commit?: string | undefined
      commits?: ReleaseCommit[] | undefined
      at: number
    }
  ) => void
  /**
   * Records that a release was deployed, in those of the projects that have it.
   * @throws InboxReleaseNotFound
   */
  addDeploy: (
    input: TokenAuthor & {
      version: string
      projects: number[]
      environment: string
      name?: string | undefined
      url?: string | undefined
      started?: number | undefined
      finished: number
    }
  ) => void
  /** Stores a part of a bundle. Above `maxBytes` of all parts, the oldest are deleted. */
  addChunk: (input: { sha1: string; body: Uint8Array; maxBytes: number; at: number }) => void
  /**
   * Deletes the parts of a bundle that is complete, or was refused, and maps above the limit.
   * @param release empty without one @param maps number of stored maps
   */
  endUpload: (input: TokenAuthor & { sha1s: string[]; projects: number[]; release: string; maps: number }) => void
  /** Stores an uploaded source map. */
  addUploadedMap: (input: {
    projects: number[]
    /** Empty without a release. */
    release: string
    /** Empty without a debug id. */
    debugId: string
    /** Path of the code. */
    file: string
    /** Hash of the map. */
    map: string
    /** Bytes of the map. */
    size: number
    /** The map, compressed by zstd. */
    body: Uint8Array
    at: number
    /**
     * Whether to delete maps of the project with the most, above the limit of all maps. It reads the size of each map, so
     * it is too slow for every map of a bundle.
     */
    prunes: boolean
  }) => void
}
