/**
 * Converts a page's `path` to the notation of file names: `/users/:id` to `users/[id]`, `/files/*` to
 * `files/[...rest]`.
 * @param prefix prefix of the page's root
 * @returns undefined without a path: the file's name is then the address
 * @throws Error with the file's name if the path is not an address
 */
export function toFileRoute(
  id: string,
  path: string | undefined,
  { prefix = '', file = `client${id}` } = {}
): string | undefined {
  if (path === undefined) return undefined
  if (!path.startsWith('/') || /[[\]]/.test(path))
    throw new Error(`${file}: "path" is an address such as '/users/:id' or '/files/*', not ${JSON.stringify(path)}`)
  const address = prefix + (path === '/' && prefix ? '' : path)
  if (address === '/') return 'index'
  return address
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
