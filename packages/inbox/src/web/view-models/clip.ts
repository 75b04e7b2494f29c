import { clip } from '@hull/common/visible-text.ts'
import type { IssueRow } from '../../queries/issues/issue-types.ts'
import type { LogRow } from '../../store/model.ts'

/** Maximum characters of a text in a list. More would not be visible, and is sent twice: as markup and as data. */
const MAX_LENGTH = 240

/** An issue with texts clipped for a list. */
export const clipIssue = <Row extends IssueRow>(issue: Row): Row => ({
  ...issue,
  type: clip(issue.type, MAX_LENGTH),
  value: clip(issue.value, MAX_LENGTH),
  culprit: clip(issue.culprit, MAX_LENGTH)
})

/** Characters of a text in the page's data, which has at most 8 MiB. Six of some characters, such as `<`. */
export const encodedLength = (text: string): number =>
  JSON.stringify(text).replace(/[<\u2028\u2029]/g, '\\u0000').length

/** Encoded characters of a log line that is always whole, and of all longer lines of a page. Guesses. */
const SHORT_LINE = 8_000
const LONG_LINES = 1_500_000

/** Maximum characters of the text of a clipped log line. */
const MAX_BODY = 500

/** Log lines of a page: whole, until there are too many long ones. */
export function clipLogs(lines: readonly LogRow[]): LogRow[] {
  let left = LONG_LINES
  return lines.map((line) => {
    const length = encodedLength(line.body) + encodedLength(JSON.stringify(line.attributes))
    if (length <= SHORT_LINE) return line
    left -= length
    if (left >= 0) return line
    return { ...line, body: clip(line.body, MAX_BODY), attributes: { '…': 'omitted, because the page is too long' } }
  })
}
