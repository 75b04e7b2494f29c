import { readFileSync } from 'node:fs'
import type { AssetAttributes } from './integrity.ts'

interface Chunk {
  file: string
  css?: string[]
  imports?: string[]
  isEntry?: boolean
}

/** Chunks of a build by source file, and by generated names. */
export type Manifest = Record<string, Chunk>

/** Head tags that load a page's stylesheets and preload its modules. */
export interface PageAssets {
  /** Stylesheets of the page and its layouts. Without them, the first paint would be unstyled. */
  styles: string
  /** Modules of the page, its layouts and the entry. */
  modules: string
}

export interface AssetIndexOptions {
  manifestFile: string
  /** Address in front of the names of files. */
  base: string
  /** File name of the entry in the build. */
  entryFile: string
  attributesOf: AssetAttributes
}

/**
 * Reads Vite's manifest.
 * @returns a function that returns the tags for a list of source files, cached per list object
 */
export function createAssetIndex({
  manifestFile,
  base,
  entryFile,
  attributesOf
}: AssetIndexOptions): (sources: string[]) => PageAssets {
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest
  const entryKey = Object.keys(manifest).find((key) => manifest[key]!.file === entryFile)
  const known = new WeakMap<string[], PageAssets>()

  function collect(sources: string[]): PageAssets {
    const chunks = collectChunks(manifest, entryKey ? [...sources, entryKey] : sources)
    // The template already has the entry's own stylesheets.
    const ownStyles = new Set(entryKey ? manifest[entryKey]!.css : [])
    const styles = new Set(chunks.flatMap(({ css = [] }) => css).filter((file) => !ownStyles.has(file)))
    return {
      styles: [...styles].map((file) => `<link rel="stylesheet" href="${base}${file}"${attributesOf(file)}>`).join(''),
      modules: chunks
        .map(({ file }) => `<link rel="modulepreload" href="${base}${file}"${attributesOf(file)}>`)
        .join('')
    }
  }

  return (sources) => {
    let assets = known.get(sources)
    if (!assets) known.set(sources, (assets = collect(sources)))
    return assets
  }
}

/**
 * Returns the chunks of source files with all that they import statically, each once, after those that it imports: of
 * two stylesheets, the rules of the later one win.
 */
export function collectChunks(manifest: Manifest, sources: readonly string[]): Chunk[] {
  const seen = new Set<string>()
  const chunks: Chunk[] = []
  const visit = (key: string) => {
    const chunk = manifest[key]
    if (!chunk || seen.has(chunk.file)) return
    seen.add(chunk.file)
    chunk.imports?.forEach(visit)
    chunks.push(chunk)
  }
  sources.forEach(visit)
  return chunks
}
