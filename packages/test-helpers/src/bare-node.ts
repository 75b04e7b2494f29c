/**
 * Arguments for the command `env` that start Node as it is: hooks that a runner or a developer put into NODE_OPTIONS
 * stay out, whatever environment the child is given.
 */
export const bareNode = (...args: string[]): string[] => ['-u', 'NODE_OPTIONS', process.execPath, ...args]
