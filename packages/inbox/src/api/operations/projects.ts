import { z } from 'zod'
import { defineOperation } from '../operation.ts'
import { Time, toTime } from '../results.ts'

const Project = z.object({ id: z.int(), name: z.string(), created: Time })

export const projectOperations = {
  listProjects: defineOperation({
    summary: 'List projects',
    scope: 'read',
    input: z.object({}),
    output: z.object({ projects: z.array(Project) }),
    run: async ({ inbox }) => ({
      projects: (await inbox.queries.listProjects()).map(({ id, name, created }) => ({
        id,
        name,
        created: toTime(created)
      }))
    }),
    tool: { name: 'list_projects', description: 'Lists the projects whose errors and traces the inbox stores.' }
  })
}
