import { readFileSync } from 'node:fs'

interface Chunk {
  file: string
  css?: string[]
  imports?: string[]
}

/** Head tags that load a page's stylesheets and preload its modules. */
export interface PageAssets {
  /** Stylesheets of the page and its layouts. Without them, the first paint would be unstyled. */
  styles: string
  /** Modules of the page, its layouts and the entry. */
  modules: string
}

/**
 * Reads Vite's manifest.
 * @param entryFile file name of the entry in the build
 * @returns a function that returns the tags for a list of source files, cached per list object
 */
export function createAssetIndex(
  manifestFile: string,
  base: string,
  entryFile: string
): (sources: string[]) => PageAssets {
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Record<string, Chunk>
  const entryKey = Object.keys(manifest).find((key) => manifest[key]!.file === entryFile)
  const known = new WeakMap<string[], PageAssets>()

  function collect(sources: string[]): PageAssets {
    const modules = new Set<string>()
    const styles = new Set<string>()
    const visit = (key: string) => {
      const chunk = manifest[key]
      if (!chunk || modules.has(chunk.file)) return
      modules.add(chunk.file)
      chunk.css?.forEach((file) => styles.add(file))
      chunk.imports?.forEach(visit)
    }
    sources.forEach(visit)
    // The template already has the entry's own stylesheets.
    const ownStyles = new Set(entryKey ? manifest[entryKey]!.css : [])
    if (entryKey) visit(entryKey)
    return {
      styles: [...styles]
        .filter((file) => !ownStyles.has(file))
        .map((file) => `<link rel="stylesheet" href="${base}${file}">`)
        .join(''),
      modules: [...modules].map((file) => `<link rel="modulepreload" href="${base}${file}">`).join('')
    }
  }

  return (sources) => {
    let assets = known.get(sources)
    if (!assets) known.set(sources, (assets = collect(sources)))
    return assets
  }
}
