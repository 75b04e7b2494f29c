import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { InboxBundleInvalid, InboxUploadTooLarge } from '../errors.ts'
import type { TokenAuthor } from '../mutations/release-types.ts'
import type { Inbox } from '../store/inbox.ts'
import { readBundle } from './bundle.ts'
import { CHUNK_BYTES, MAX_INFLATION, PRUNE_BYTES } from './limits.ts'

const compress = promisify(zstdCompress)

export interface BundleInput extends TokenAuthor {
  /** SHA-1 of the bundle. */
  checksum: string
  /** SHA-1 of each chunk, in their order. */
  chunks: string[]
  /** Ids of the projects. */
  projects: number[]
  /** Empty without a release. */
  release: string
}

export interface AssembleState {
  state: 'ok' | 'not_found'
  missingChunks: string[]
}

/** Creates a function that puts bundles together and stores their maps, one bundle at a time. */
export function createAssembler(inbox: Pick<Inbox, 'queries' | 'changes'>, maxBytes: number) {
  let last: Promise<unknown> = Promise.resolve()

  /**
   * Waits for the bundles before: those have deleted their chunks then, of which this bundle may have some too.
   * @returns the chunks to send first, if some are missing
   * @throws InboxUploadTooLarge @throws InboxBundleInvalid
   */
  return function assemble(input: BundleInput): Promise<AssembleState> {
    const assembling = last.catch(() => {}).then(() => storeIfComplete(input))
    last = assembling
    return assembling
  }

  async function storeIfComplete(input: BundleInput): Promise<AssembleState> {
    if ((input.chunks.length - 1) * CHUNK_BYTES >= maxBytes) throw new InboxUploadTooLarge('The bundle', maxBytes)
    const sizes = await inbox.queries.listChunks({ sha1s: input.chunks })
    const missingChunks = [...new Set(input.chunks)].filter((sha1) => sizes[sha1] === undefined)
    if (missingChunks.length > 0) return { state: 'not_found', missingChunks }
    if (input.chunks.reduce((sum, sha1) => sum + sizes[sha1]!, 0) > maxBytes)
      throw new InboxUploadTooLarge('The bundle', maxBytes)
    await store(input)
    return { state: 'ok', missingChunks: [] }
  }

  async function store(input: BundleInput): Promise<void> {
    const { checksum, chunks, projects, release, by, token } = input
    let maps = 0
    let unpruned = 0
    try {
      for await (const { file, debugId, body } of readBundle(await join(chunks, checksum), MAX_INFLATION * maxBytes)) {
        const map = `sha256:${createHash('sha256').update(body).digest('hex')}`
        const size = body.length
        const packed = await compress(body)
        unpruned += packed.length
        const prunes = unpruned >= PRUNE_BYTES
        if (prunes) unpruned = 0
        await inbox.changes.addUploadedMap({
          projects,
          release,
          debugId,
          file,
          map,
          size,
          body: packed,
          at: Date.now(),
          prunes
        })
        maps++
      }
    } finally {
      await inbox.changes.endUpload({ sha1s: chunks, projects, release, maps, by, token })
    }
    if (maps === 0) throw new InboxBundleInvalid('it has no source map; let the build write them')
  }

  async function join(chunks: readonly string[], checksum: string): Promise<Buffer> {
    const hash = createHash('sha1')
    const bodies: Uint8Array[] = []
    for (const sha1 of chunks) {
      const body = await inbox.queries.getChunk({ sha1 })
      if (body === undefined) throw new InboxBundleInvalid('a part was deleted before the upload was complete')
      hash.update(body)
      bodies.push(body)
      // Other requests come first: a chunk takes some milliseconds.
      await setImmediate()
    }
    if (hash.digest('hex') !== checksum) throw new InboxBundleInvalid('its SHA-1 checksum is another one')
    return Buffer.concat(bodies)
  }
}
