/** Fastify's route hooks, which a page may export for its own route, as with @fastify/react. */
export const ROUTE_HOOKS = [
  'onRequest',
  'preParsing',
  'preValidation',
  'preHandler',
  'preSerialization',
  'onError',
  'onSend',
  'onResponse',
  'onTimeout',
  'onRequestAbort'
] as const
