import { readPattern, type RoutePattern } from './route-pattern.ts'

/** Names that are parameters. */
const PARAM = /^(?:\[(?:\.\.\.)?[A-Za-z_]\w*\]|\[[A-Za-z_]\w*\+\]|\[\[\.\.\.[A-Za-z_]\w*\]\])$/
// Characters with another meaning in a router, a URL or a shell.
const UNUSABLE = /[[\]()*:?#%\\\s]/

/**
 * Reads the address of a page file, and checks it. The browser's build has no checks, because every build does them.
 * @param id path from the client root, such as `/pages/docs/[...path].tsx`
 * @param fileRoute the address, if not the file's name, in the same notation: `docs/[...path]`
 * @param file name of the file in messages.
 * @default `client` and the id
 * @throws Error with the file's name if it is not an address
 */
export function parsePattern(id: string, fileRoute?: string, file = `client${id}`): RoutePattern {
  const pattern = readPattern(id, fileRoute)
  const { path, segments } = pattern
  const names = path === '/' ? [] : path.slice(1).split('/')
  for (const name of names) checkName(name, file)
  if (segments.slice(0, -1).some(({ kind }) => kind === 'rest')) {
    throw new Error(`${file}: a catch-all must be the last part of the path`)
  }
  const params = segments.flatMap((segment) => (segment.kind === 'static' ? [] : [segment.name]))
  if (new Set(params).size < params.length) throw new Error(`${file}: two parameters have the same name`)
  if (names[0] === '-') throw new Error(`${file}: addresses under /-/ belong to Hull`)
  return pattern
}

function checkName(name: string, file: string) {
  if (PARAM.test(name)) return
  if (name === '' || name === '.' || name === '..' || UNUSABLE.test(name)) {
    throw new Error(
      `${file}: "${name}" cannot be part of an address; use plain text, [name], [...name], [[...name]] or (group)`
    )
  }
}
