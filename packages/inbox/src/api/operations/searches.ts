import { z } from 'zod'
import type { SavedSearch } from '../../queries/issues/saved-searches.ts'
import { defineOperation } from '../operation.ts'
import { pick } from '../results.ts'

const Search = z.object({
  id: z.int(),
  name: z.string(),
  query: z.string(),
  sort: z.enum(['last', 'first', 'events', 'visitors']),
  project: z.int().optional().describe('Project that it searches; absent for all'),
  shared: z.boolean().describe('Whether everybody in the project sees it')
})

const toSearch = (row: SavedSearch): z.input<typeof Search> =>
  pick(Search, { ...row, shared: row.person === undefined })

export const searchOperations = {
  listSearches: defineOperation({
    summary: 'List saved searches: shared ones, and those of the person who created the token',
    scope: 'read',
    input: z.object({}),
    output: z.object({ searches: z.array(Search) }),
    run: async ({ inbox, token }) => ({
      searches: (await inbox.queries.listSavedSearches({ person: token.person })).map(toSearch)
    }),
    tool: {
      name: 'list_searches',
      description: 'Lists the searches for issues that people saved under a name; their query is one for find_issues.'
    }
  })
}
