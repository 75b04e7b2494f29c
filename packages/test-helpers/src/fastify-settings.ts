/** Settings of a server that has nothing of an application. */
export const FASTIFY_SETTINGS = {
  logLevel: 'silent',
  environment: 'test',
  bodyLimit: 1_000,
  renderTimeout: 1_000,
  trustProxy: false
} as const
