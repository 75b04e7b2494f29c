import type { Operation } from '../operation.ts'
import type { OperationName } from '../routes.ts'
import { commentOperations } from './comments.ts'
import { eventOperations } from './events.ts'
import { feedbackOperations } from './feedback.ts'
import { issueOperations } from './issues.ts'
import { projectOperations } from './projects.ts'
import { releaseOperations } from './releases.ts'
import { searchOperations } from './searches.ts'
import { traceOperations } from './traces.ts'

/**
 * Every operation of the API, with the schemas of its parameters and of its result. Times are ISO 8601 in UTC. JSON
 * leaves out the fields of a result that are undefined.
 */
export const operations = {
  ...projectOperations,
  ...issueOperations,
  ...eventOperations,
  ...commentOperations,
  ...searchOperations,
  ...traceOperations,
  ...releaseOperations,
  ...feedbackOperations
} satisfies Record<OperationName, Operation>
