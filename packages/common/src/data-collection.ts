import type { Client } from '@sentry/core'

/** Nothing that the SDK would collect by itself, now or in a later version: what an event holds is written in this room. */
export const DATA_COLLECTION: NonNullable<ReturnType<Client['getOptions']>['dataCollection']> = {
  userInfo: false,
  cookies: false,
  httpHeaders: { request: false, response: false },
  httpBodies: [],
  urlQueryParams: false,
  graphQL: { document: false, variables: false },
  genAI: { inputs: false, outputs: false },
  mcp: { inputs: false, outputs: false },
  databaseQueryData: false,
  queues: false,
  stackFrameVariables: false,
  frameContextLines: 5
}
