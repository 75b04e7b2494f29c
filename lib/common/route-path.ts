/**
 * A page's `path` in the words of file names: `/users/:id` is `users/[id]`, and `/files/*` is `files/[...rest]`.
 * @returns undefined without a path: the file's name is the address then
 * @throws Error that names the file when the path is no address
 */
export function toSpelling(id: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  if (!path.startsWith('/') || /[[\]]/.test(path))
    throw new Error(`client${id}: "path" is an address such as '/users/:id' or '/files/*', not ${JSON.stringify(path)}`)
  if (path === '/') return 'index'
  return path
    .slice(1)
    .split('/')
    .map((part) =>
      part === '*'
        ? '[...rest]'
        : part
            .replace(/^:(\w+)\+$/, '[...$1]')
            .replace(/^:(\w+)\*$/, '[[...$1]]')
            .replace(/^:(\w+)$/, '[$1]')
    )
    .join('/')
}
