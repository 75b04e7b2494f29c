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
const REST = /^\[(?:\.\.\.([A-Za-z_]\w*)|([A-Za-z_]\w*)\+)\]$/
const OPTIONAL_REST = /^\[\[\.\.\.([A-Za-z_]\w*)\]\]$/
const PARAM = /^\[([A-Za-z_]\w*)\]$/
// Characters with another meaning in a router, a URL or a shell.
const UNUSABLE = /[[\]()*:?#%\\\s]/

/**
 * Parses the address of a page file.
 * @param id path from the client root, such as `/pages/docs/[...path].tsx`
 * @param fileRoute the address, if not the file's name, in the same notation: `docs/[...path]`
 * @param file name of the file in messages.
 * @default `client` and the id
 * @throws Error with the file's name if it is not an address
 */
export function parsePattern(
  id: string,
  fileRoute = id.slice('/pages/'.length, -'.tsx'.length),
  file = `client${id}`
): RoutePattern {
  const names = fileRoute.split('/').filter((name) => !GROUP.test(name))
  if (names.at(-1) === 'index') names.pop()
  const segments = names.map((name) => parseSegment(name, file))
  if (segments.slice(0, -1).some(({ kind }) => kind === 'rest')) {
    throw new Error(`${file}: a catch-all must be the last part of the path`)
  }
  const params = segments.flatMap((segment) => (segment.kind === 'static' ? [] : [segment.name]))
  if (new Set(params).size < params.length) throw new Error(`${file}: two parameters have the same name`)
  if (names[0] === '-') throw new Error(`${file}: addresses under /-/ belong to Hull`)
  return { id, path: '/' + names.join('/'), segments }
}

function parseSegment(name: string, file: string): Segment {
  const optionalRest = OPTIONAL_REST.exec(name)?.[1]
  if (optionalRest) return { kind: 'rest', name: optionalRest, optional: true }
  const [, dots, plus] = REST.exec(name) ?? []
  const rest = dots ?? plus
  if (rest) return { kind: 'rest', name: rest, optional: false }
  const param = PARAM.exec(name)?.[1]
  if (param) return { kind: 'param', name: param }
  if (name === '' || name === '.' || name === '..' || UNUSABLE.test(name)) {
    throw new Error(
      `${file}: "${name}" cannot be part of an address; use plain text, [name], [...name], [[...name]] or (group)`
    )
  }
  return { kind: 'static', value: name }
}
