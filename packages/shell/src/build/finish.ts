import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import { normalizePath } from 'vite'
import type { MapEntry } from '@hull/common/source-map-list.ts'
import { COMPRESSIBLE } from '../http/compressible.ts'
import { BUILD_FILE, PUBLIC_ASSETS_FILE } from '../server/build-id.ts'
import type { PlaceOptions } from './base-path.ts'
import { collectSourceMaps } from './source-maps.ts'

/** Bytes below which a compressed copy is not worth a file. */
const MIN_COMPRESSIBLE = 512

const ENCODERS = [
  ['.br', (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })],
  ['.zst', (body: Buffer) => promisify(zstdCompress)(body, zstdOptionsFor(body))],
  ['.gz', (body: Buffer) => promisify(gzip)(body, { level: 9 })]
] as const

/**
 * With the size, the encoder needs memory for the file alone. Without it, level 19 prepares 80 MB for each file, which
 * takes most of a build's processor time, and a browser needs 8 MB to decode the copy.
 */
const zstdOptionsFor = ({ length }: Buffer) => ({
  params: { [constants.ZSTD_c_compressionLevel]: 19 },
  pledgedSrcSize: length
})

interface FinishOptions extends PlaceOptions {
  /** Also compresses assets once in each encoding. */
  compress: boolean
  /** Folder whose files the build has copied. */
  publicFolder: string
}

/**
 * Prepares a build for serving: moves source maps out of the public folder, and writes the build's id.
 * @param dist folder with `client/` and `server/`
 * @throws Error if the name of a public file cannot be in an address
 */
export async function finishBuild(dist: string, options: FinishOptions): Promise<void> {
  const { compress, publicFolder, basePath, assetsUrl } = options
  const client = join(dist, 'client')
  checkNames(client)
  listPublicAssets(client, publicFolder)
  const maps = collectSourceMaps(dist)
  if (compress) await compressAssets(client)
  writeFileSync(join(dist, BUILD_FILE), JSON.stringify({ id: buildId(dist, maps), basePath, assetsUrl }) + '\n')
}

/** The router reads `*` as any address, and the other two end the path of an address. */
function checkNames(folder: string): void {
  const wrong = globSync('**', { cwd: folder, exclude: ['assets/**', '.vite/**'] }).filter((path) => /[#?*]/.test(path))
  if (wrong.length > 0)
    throw new Error(wrong.map((path) => `client/public/${path}: rename it, without #, ? and *`).join('\n'))
}

function listPublicAssets(client: string, publicFolder: string): void {
  const paths = globSync('assets/**', { cwd: publicFolder }).map(normalizePath)
  if (paths.length > 0) writeFileSync(join(client, PUBLIC_ASSETS_FILE), JSON.stringify(paths) + '\n')
}

async function compressAssets(folder: string) {
  for (const path of globSync('**/*.*', { cwd: folder, exclude: ['.vite/**', 'index.html'] })) {
    if (!Object.hasOwn(COMPRESSIBLE, extname(path))) continue
    const body = readFileSync(join(folder, path))
    if (body.length < MIN_COMPRESSIBLE) continue
    await Promise.all(
      ENCODERS.map(async ([ending, encode]) => {
        const encoded = await encode(body)
        if (encoded.length < body.length) writeFileSync(join(folder, path + ending), encoded)
      })
    )
  }
}

/**
 * Returns the build's id: twelve hexadecimal digits of a hash over the code of both sides and their source maps. The
 * same sources have the same id. The maps are included because a release must lead to the lines of its own sources.
 */
function buildId(dist: string, maps: readonly MapEntry[]): string {
  const hash = createHash('sha256')
  for (const file of ['client/.vite/manifest.json', 'client/index.html', 'server/index.js'])
    hash.update(readFileSync(join(dist, file)))
  for (const { debugId } of maps) hash.update(debugId)
  return hash.digest('hex').slice(0, 12)
}
