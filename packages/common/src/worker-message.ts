/**
 * Whether a message is one that our own code in the worker posted: those are objects with a `kind`. Under `--watch` and
 * `--watch-path` Node posts messages of its own to the same port, such as `{ 'watch:import': […] }`.
 */
export const isWorkerMessage = <Message extends { kind: string }>(message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'kind' in message
