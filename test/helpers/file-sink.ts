import { once } from 'node:events'
import { createWriteStream, globSync, readFileSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EnvelopeMeta, EnvelopeSink } from '../../lib/tunnel/types.ts'

/** Keeps each envelope in a file of its own: what comes after its header, and what is known of it beside that. */
export class FileSink implements EnvelopeSink {
  readonly #folder: string
  #begun = 0
  /** How many were begun and neither committed nor aborted. */
  open = 0
  aborted = 0
  /** What {@link rateLimits} tells. */
  limits: string | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Envelopes that were committed, in the order in which they began. */
  get kept(): Array<{ meta: EnvelopeMeta; rest: Buffer }> {
    return globSync('*.json', { cwd: this.#folder })
      .sort()
      .map((name) => ({
        meta: JSON.parse(readFileSync(join(this.#folder, name), 'utf8')) as EnvelopeMeta,
        rest: readFileSync(join(this.#folder, name.replace('json', 'items')))
      }))
  }

  /** All files, those of envelopes that are not whole among them. */
  get files(): string[] {
    return globSync('*', { cwd: this.#folder })
  }

  begin() {
    const path = join(this.#folder, String(++this.#begun).padStart(6, '0'))
    const file = createWriteStream(`${path}.part`, { flush: true })
    this.open++
    return {
      write: (chunk: Uint8Array) => (file.write(chunk) ? undefined : once(file, 'drain').then(() => {})),
      commit: async (meta: EnvelopeMeta) => {
        file.end()
        await once(file, 'close')
        await rename(`${path}.part`, `${path}.items`)
        await writeFile(`${path}.json`, JSON.stringify(meta), { flush: true })
        this.open--
      },
      abort: () => {
        this.open--
        this.aborted++
        file.destroy()
        void rm(`${path}.part`, { force: true })
      }
    }
  }

  rateLimits(): string | undefined {
    return this.limits
  }
}
