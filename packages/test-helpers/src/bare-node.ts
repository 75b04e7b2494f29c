/**
 * Arguments for the command `env` that start Node as it is: tap loads its hooks into every child by NODE_OPTIONS, whatever
 * environment that is given.
 */
export const bareNode = (...args: string[]): string[] => ['-u', 'NODE_OPTIONS', process.execPath, ...args]
