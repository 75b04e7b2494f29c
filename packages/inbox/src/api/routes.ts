/**
 * Method and path of each operation of the API, below {@link API_PATH}. Apart from the operations, so that a start does
 * not load their schemas.
 */
export const API_ROUTES = {
  listProjects: ['GET', '/projects'],
  listIssues: ['GET', '/issues'],
  getIssue: ['GET', '/issues/:id'],
  changeIssue: ['PATCH', '/issues/:id'],
  assignIssue: ['PATCH', '/issues/:id/assignee'],
  followIssue: ['PATCH', '/issues/:id/following'],
  listEvents: ['GET', '/issues/:id/events'],
  getEvent: ['GET', '/issues/:id/events/:event'],
  listTags: ['GET', '/issues/:id/tags'],
  listComments: ['GET', '/issues/:id/comments'],
  addComment: ['POST', '/issues/:id/comments'],
  changeComment: ['PATCH', '/issues/:id/comments/:comment'],
  removeComment: ['DELETE', '/issues/:id/comments/:comment'],
  listSearches: ['GET', '/searches'],
  listTraces: ['GET', '/traces'],
  getTrace: ['GET', '/traces/:traceId'],
  listReleases: ['GET', '/releases'],
  listFeedback: ['GET', '/feedback']
} as const satisfies Record<string, readonly [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string]>

/** Whether requests of a method have their parameters in a body. */
export const hasBody = (method: string): boolean => method === 'POST' || method === 'PATCH'

export type OperationName = keyof typeof API_ROUTES

export const API_PATH = '/inbox/api'
