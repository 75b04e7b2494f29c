import t, { type Test } from 'tap'
import type { Promised } from '../../src/store/inbox.ts'
import { isScan, queries, scans, type Queries } from '../../src/queries/index.ts'
import type { Store } from '../../src/store/store.ts'
import { createStore } from '../helpers/store.ts'
import { testIssue } from './suite/issue.ts'
import { testIssues } from './suite/issues.ts'
import { testOverview } from './suite/overview.ts'
import { testPaging } from './suite/paging.ts'
import type { Opened } from './suite/scene.ts'

type Query = (store: Store, input: unknown) => unknown

async function open(t: Test): Promise<Opened> {
  const store = createStore(t)
  const all = Object.entries({ ...queries, ...scans } as Record<string, Query>)
  const promised = all.map(([name, query]) => [
    name,
    async (input: unknown) => {
      // Refuses invalid input before the query runs, as the inbox does before it sends a query to a thread.
      ;(isScan as Record<string, (input: unknown) => boolean>)[name]?.(input)
      return store.runFor(undefined, () => query(store, input))
    }
  ])
  return { store, queries: Object.fromEntries(promised) as Promised<Queries> }
}

t.test('the list of issues', (t) => testIssues(t, open))
t.test('pages of issues', (t) => testPaging(t, open))
t.test('an issue', (t) => testIssue(t, open))
t.test('the overview', (t) => testOverview(t, open))
