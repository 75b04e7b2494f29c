/** One part of a page's path, in the notation of file names. */
export type Segment =
  | { kind: 'static'; value: string }
  | { kind: 'param'; name: string }
  | { kind: 'rest'; name: string; optional: boolean }

/** The address of a page file. */
export interface RoutePattern {
  /** Path of the file from the client root: `/pages/items/[id].tsx`. */
  id: string
  /** The address in the notation of file names, without groups: `/items/[id]`. */
  path: string
  segments: Segment[]
}

const GROUP = /^\(.+\)$/

/** `[name]`, `[...name]`, `[name+]` and `[[...name]]`: a second bracket, dots, the name, a plus. */
const DYNAMIC = /^\[(\[?)(\.{3})?(\w+)(\+?)\]+$/

/**
 * Reads the address of a page file whose name was checked ({@link file://./check-pattern.ts}).
 * @param id path from the client root, such as `/pages/docs/[...path].tsx`
 * @param fileRoute the address, if not the file's name, in the same notation: `docs/[...path]`
 */
export function readPattern(id: string, fileRoute = id.slice('/pages/'.length, -'.tsx'.length)): RoutePattern {
  const names = fileRoute.split('/').filter((name) => !GROUP.test(name))
  if (names.at(-1) === 'index') names.pop()
  return { id, path: '/' + names.join('/'), segments: names.map(readSegment) }
}

function readSegment(value: string): Segment {
  const [, bracket, dots, name, plus] = DYNAMIC.exec(value) ?? []
  if (!name) return { kind: 'static', value }
  return dots || plus ? { kind: 'rest', name, optional: bracket !== '' } : { kind: 'param', name }
}
