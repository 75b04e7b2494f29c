import { clip } from '@hull/common/visible-text.ts'
import type { IssueRow } from '../../queries/issue-types.ts'

/** Maximum characters of a text in a list. More would not be visible, and is sent twice: as markup and as data. */
const MAX_LENGTH = 240

/** An issue with texts clipped for a list. */
export const clipIssue = <Row extends IssueRow>(issue: Row): Row => ({
  ...issue,
  type: clip(issue.type, MAX_LENGTH),
  value: clip(issue.value, MAX_LENGTH),
  culprit: clip(issue.culprit, MAX_LENGTH)
})
