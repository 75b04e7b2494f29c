/**
 * Files of the repository's own application that are copied into a new one; `PARTS` in remove.ts edits or deletes some
 * of them.
 */
export const APPLICATION = [
  'client',
  'plugins',
  'routes',
  'config.ts',
  'server.ts',
  'vite.config.ts',
  'Dockerfile',
  '.dockerignore',
  '.env.example',
  'tsconfig.json'
]

/** Also copied. The published package has it without the dot. */
export const NPM_SETTINGS = '.npmrc'
