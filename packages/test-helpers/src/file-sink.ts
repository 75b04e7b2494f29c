import {
  closeSync,
  fsyncSync,
  globSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import { join } from 'node:path'
import type { Envelope, EnvelopeMeta, EnvelopeSink } from '../../monitoring/src/delivery/envelope-sink.ts'

/**
 * Stores each envelope's body in a file, with its metadata beside it. Asks the sender to wait after every second chunk.
 */
export class FileSink implements EnvelopeSink {
  readonly #folder: string
  #begun = 0
  /** Envelopes that were begun and neither committed nor aborted. */
  open = 0
  aborted = 0
  /** Limits that {@link rateLimits} returns. */
  limits: string | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Committed envelopes, in the order in which they began. */
  get kept(): Array<{ meta: EnvelopeMeta; rest: Buffer }> {
    return globSync('*.json', { cwd: this.#folder })
      .sort()
      .map((name) => ({
        meta: JSON.parse(readFileSync(join(this.#folder, name), 'utf8')) as EnvelopeMeta,
        rest: readFileSync(join(this.#folder, name.replace('json', 'items')))
      }))
  }

  /** All files, including those of incomplete envelopes. */
  get files(): string[] {
    return globSync('*', { cwd: this.#folder })
  }

  begin() {
    const path = join(this.#folder, String(++this.#begun).padStart(6, '0'))
    const file = openSync(`${path}.part`, 'w')
    let pieces = 0
    this.open++
    return {
      write: (piece: Uint8Array) => {
        writeSync(file, piece)
        return ++pieces % 2 ? undefined : new Promise<void>((resolve) => setImmediate(resolve))
      },
      commit: async (meta: EnvelopeMeta) => {
        fsyncSync(file)
        closeSync(file)
        renameSync(`${path}.part`, `${path}.items`)
        writeFileSync(`${path}.json`, JSON.stringify(meta))
        this.open--
      },
      abort: () => {
        closeSync(file)
        rmSync(`${path}.part`)
        this.open--
        this.aborted++
      }
    }
  }

  async accept({ meta, body }: Envelope): Promise<void> {
    const writer = this.begin()
    await writer.write(body)
    await writer.commit(meta)
  }

  rateLimits(): string | undefined {
    return this.limits
  }
}
