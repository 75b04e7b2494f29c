/** RFC 9457 problem details, with a stable `code` as an extension member. */
export interface Problem {
  type: 'about:blank'
  title: string
  status: number
  detail: string
  code: string
  digest?: string
}

/** Media type of a problem (RFC 9457 §6.1). */
export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** Detail of a failure on the server, safe for all clients. */
export const INTERNAL_DETAIL = 'The server could not produce this answer. The digest finds the cause in its log.'

export function createProblem(
  status: number,
  { code, detail, digest }: { code: string; detail: string; digest?: string }
): Problem {
  const problem: Problem = { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail, code }
  if (digest) problem.digest = digest
  return problem
}

/**
 * Reason phrase of each status. An `import` would read all exports of node:http, and one of them loads Node's fetch:
 * without it, a start is some milliseconds faster.
 */
export const { STATUS_CODES } = process.getBuiltinModule('node:http')
