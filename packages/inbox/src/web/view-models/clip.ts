import { clip } from '@hull/common/visible-text.ts'
import type { IssueRow } from '../../queries/types.ts'

/** Characters of a text in a list: more is not seen, and goes over the wire twice. */
const MAX_LENGTH = 240

/** An issue as a list shows it. */
export const clipIssue = <Row extends IssueRow>(issue: Row): Row => ({
  ...issue,
  type: clip(issue.type, MAX_LENGTH),
  value: clip(issue.value, MAX_LENGTH),
  culprit: clip(issue.culprit, MAX_LENGTH)
})
