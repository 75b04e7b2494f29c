import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Stylesheets in a built template, with their addresses. */
export const STYLESHEET = /<link rel="stylesheet"[^>]*? href="([^"]*)"/g

/** Returns the attributes of tags that load a built file, from its name below `dist/client`. */
export type AssetAttributes = (file: string) => string

/**
 * Creates the attributes for files of another origin: its server could change them, so the browser compares their
 * content. Files of the application's own origin need none.
 * @param base address in front of the names
 */
export function createAssetAttributes(folder: string, base: string): AssetAttributes {
  if (base.startsWith('/')) return () => ''
  const known = new Map<string, string>()
  return (file) => {
    let attributes = known.get(file)
    if (attributes === undefined) {
      const hash = createHash('sha384')
        .update(readFileSync(join(folder, file)))
        .digest('base64')
      known.set(file, (attributes = ` crossorigin integrity="sha384-${hash}"`))
    }
    return attributes
  }
}

/** Adds the attributes to the stylesheets of a built template. */
export const addIntegrity = (html: string, base: string, attributesOf: AssetAttributes): string =>
  html.replace(STYLESHEET, (tag, href: string) => {
    if (!href.startsWith(base)) return tag
    return tag.replace(' crossorigin', '') + attributesOf(href.slice(base.length))
  })
