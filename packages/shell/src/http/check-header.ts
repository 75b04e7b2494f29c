// An `import` would read all exports of node:http: see problem.ts.
const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http')

/** @throws TypeError if Node cannot send the header, such as one with a line break or a letter beyond Latin-1 */
export function checkHeader(name: string, value: unknown): void {
  validateHeaderName(name)
  for (const one of [value].flat()) validateHeaderValue(name, one as string)
}

/** Whether Node can send the header. */
export function isHeader(name: string, value: unknown): boolean {
  try {
    checkHeader(name, value)
    return true
  } catch {
    return false
  }
}
