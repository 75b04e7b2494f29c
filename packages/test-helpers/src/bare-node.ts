/**
 * Arguments for the command `env` that start Node without NODE_OPTIONS, in which a test runner or a developer may have
 * set hooks.
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
