import { SourceMap, type SourceMapPayload } from 'node:module'
import type { DevEnvironment } from 'vite'

/** A frame of a stack of Chromium (`at run (address:1:2)`), or of Firefox and Safari (`run@address:1:2`). */
const FRAME = /^\s*(?:at (?:async )?)?(?:(.*?) ?[(@])?(https?:\/\/\S+?):(\d+):(\d+)\)?$/

/**
 * Converts a stack of the browser into one of Node, whose places are those of the sources. Frames whose modules Vite
 * has not loaded are left unchanged.
 */
export async function mapBrowserStack(environment: DevEnvironment, stack: string): Promise<string> {
  const lines = stack.split('\n').map(async (line) => {
    const [, name, address = '', row, column] = FRAME.exec(line) ?? []
    if (!URL.canParse(address)) return line
    const { pathname, search } = new URL(address)
    const module = await environment.moduleGraph.getModuleByUrl(decodeURI(pathname) + search)
    if (!module?.file) return line
    const place = toSource(module.transformResult?.map, Number(row), Number(column))
    const where = `${module.file}:${place.line}:${place.column}`
    return name ? `    at ${name} (${where})` : `    at ${where}`
  })
  return (await Promise.all(lines)).join('\n')
}

/** Returns the place unchanged if the code has no map: then Vite has not changed it. */
function toSource(map: unknown, line: number, column: number): { line: number; column: number } {
  const { mappings } = (map ?? {}) as Partial<SourceMapPayload>
  if (!mappings) return { line, column }
  const entry = new SourceMap(map as SourceMapPayload).findEntry(line - 1, column - 1)
  return 'originalLine' in entry ? { line: entry.originalLine + 1, column: entry.originalColumn + 1 } : { line, column }
}
