import { posix } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl'
import { z } from 'zod'
import { isMarkedVisible } from '@hull/common/visible-error.ts'
import { InboxBundleInvalid, InboxUploadTooLarge } from '../errors.ts'
import { MAX_MAP_BYTES } from '../symbolication/limits.ts'
import { MAX_DEBUG_ID, MAX_FILES, MAX_MANIFEST_BYTES, MAX_PATH } from './limits.ts'

/** A source map in an artifact bundle. */
export interface BundledMap {
  /** Path of the code, below the root of its address. */
  file: string
  /** In lower case; empty without one. */
  debugId: string
  body: Buffer
}

const Manifest = z.object({
  files: z.record(
    z.string(),
    z.object({ type: z.string(), url: z.string().default(''), headers: z.record(z.string(), z.string()).default({}) })
  )
})

interface File {
  /** Path in the bundle. */
  path: string
  type: string
  /** Path of its address. */
  file: string
  debugId: string
  /** Path of the source map that the code names. */
  map: string | undefined
}

/**
 * Reads the source maps of an artifact bundle: a ZIP file with a `manifest.json`. Never writes a file.
 * @param maxBytes maximum bytes of all maps
 * @throws InboxBundleInvalid @throws InboxUploadTooLarge
 */
export async function* readBundle(body: Buffer, maxBytes: number): AsyncGenerator<BundledMap, void> {
  const zip = await check(
    fromBufferPromise(body, { lazyEntries: true, validateEntrySizes: true, strictFileNames: true })
  )
  const entries = await check(readEntries(zip))
  const files = parseManifest(await readEntry(zip, entries.get('manifest.json'), 'manifest.json', MAX_MANIFEST_BYTES))
  const codes = files.filter(({ type }) => type !== 'source_map')
  let rest = maxBytes
  for (const map of files.filter(({ type }) => type === 'source_map')) {
    const entry = entries.get(map.path)
    rest -= entry?.uncompressedSize ?? 0
    if (rest < 0) throw new InboxUploadTooLarge('The content of the bundle', maxBytes)
    const code = codes.find((code) => code.map === map.file || (code.debugId !== '' && code.debugId === map.debugId))
    const file = code?.file ?? map.file.replace(/\.map$/, '')
    const debugId = map.debugId || (code?.debugId ?? '')
    if (file.length > MAX_PATH || debugId.length > MAX_DEBUG_ID)
      throw new InboxBundleInvalid(`the path or the debug id of ${map.path.slice(0, 100)} is too long`)
    yield {
      file,
      debugId,
      body: await readEntry(zip, entry, map.path, MAX_MAP_BYTES)
    }
  }
}

/** Lists the entries. yauzl refuses names that are absolute or lead upwards. */
async function readEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MAX_FILES) throw new InboxBundleInvalid(`it has more than ${MAX_FILES} files`)
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
  return entries
}

async function readEntry(zip: ZipFile, entry: Entry | undefined, path: string, maxBytes: number): Promise<Buffer> {
  if (entry === undefined) throw new InboxBundleInvalid(`${path} is missing`)
  if (entry.uncompressedSize > maxBytes) throw new InboxUploadTooLarge(path, maxBytes)
  return check(zip.openReadStreamPromise(entry).then(buffer))
}

function parseManifest(body: Buffer): File[] {
  try {
    return Object.entries(Manifest.parse(JSON.parse(body.toString())).files).map(([path, { type, url, headers }]) => {
      const header = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
      const file = toPath(url)
      const map = header.get('sourcemap')
      const debugId = header.get('debug-id')?.toLowerCase() ?? ''
      return { path, type, file, debugId, map: map && toPath(posix.join(posix.dirname(file), map)) }
    })
  } catch (error) {
    throw new InboxBundleInvalid('manifest.json is not a list of files', { cause: error })
  }
}

/** Path of an address: `assets/a.js` of `~/assets/a.js` and of `https://shop.example/assets/a.js?v=1`. */
const toPath = (url: string): string =>
  posix.normalize(url.replace(/^(?:~|[a-z][a-z0-9+.-]*:\/\/[^/]*)\//i, '').replace(/[?#].*$/, '')).replace(/^\//, '')

/** Replaces errors of the ZIP file. */
async function check<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    throw isMarkedVisible(error) ? error : new InboxBundleInvalid((error as Error).message, { cause: error })
  }
}
