/**
 * Arguments for the command `env` that start Node as it is: hooks that a runner or a developer put into NODE_OPTIONS
 * stay out, whatever environment the child is given.
 */
export const bareNode = (...args: string[]): string[] => ['-u', 'NODE_OPTIONS', process.execPath, ...args]

/**
 * The environment of a process that inherits nothing but the PATH and Node's cache of compiled code, which halves the
 * processor time of its start.
 */
export const bareEnv = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE
})
