/** The repository's own application, which a new one is a copy of; `PARTS` of remove.ts edits or deletes some of it. */
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

/** Copied too. The published package has it without the dot. */
export const NPM_SETTINGS = '.npmrc'
