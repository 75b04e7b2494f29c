import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import t from 'tap'

const CLIENT = join(import.meta.dirname, '../../../../../dist/client')

/** Maximum bytes that a page may load in addition to the script of all pages; 1 KB is 1,000 bytes. */
const MOST = 30_000

/** Entry of the script that all pages load. */
const SHELL = 'index.html'
/** Folder of the pages of the inbox, relative to the client folder, as in the manifest. */
const WEB = '../packages/inbox/src/web'
/** Layouts of the inbox. Pages of the settings have both. */
const FRAMES = [`${WEB}/layouts/inbox.tsx`, `${WEB}/layouts/inbox-settings.tsx`]

interface Chunk {
  file: string
  imports?: string[]
  dynamicImports?: string[]
}

const manifest = JSON.parse(readFileSync(join(CLIENT, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>

/**
 * Returns the chunks with everything that they import, statically or lazily, except the lazy imports of the shell,
 * which are pages.
 */
function closureOf(names: string[]): Set<string> {
  const found = new Set(names)
  for (const name of found) {
    const { imports = [], dynamicImports = [] } = manifest[name]!
    for (const next of name === SHELL ? imports : [...imports, ...dynamicImports]) found.add(next)
  }
  return found
}

const sizes = new Map<string, number>()
function sizeOf(file: string): number {
  const known = sizes.get(file)
  if (known !== undefined) return known
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
  const { length } = brotliCompressSync(readFileSync(join(CLIENT, file)), { params })
  sizes.set(file, length)
  return length
}

const shell = closureOf([SHELL])
const screens = Object.keys(manifest).filter((name) => name.startsWith(`${WEB}/pages/`))

t.test('the build contains the pages', async (t) => {
  for (const name of [
    'index',
    'issues/index',
    'issues/[id]',
    'traces/index',
    'traces/[id]',
    'vitals',
    'settings/index'
  ])
    t.ok(screens.includes(`${WEB}/pages/${name}.tsx`), name)
})

for (const screen of screens) {
  t.test(`${screen} needs at most 30 KB of script in addition to the shell`, async (t) => {
    const own = [...closureOf([screen, ...FRAMES])].filter((name) => !shell.has(name))
    const files = [...new Set(own.map((name) => manifest[name]!.file))].filter((file) => file.endsWith('.js'))
    const bytes = files.reduce((sum, file) => sum + sizeOf(file), 0)
    t.comment(`${bytes} bytes in ${files.length} files`)
    t.ok(files.length >= 3, 'its own script and those of the layouts')
    t.ok(bytes <= MOST, `${bytes} bytes`)
  })
}
