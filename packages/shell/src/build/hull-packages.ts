/** Entries that the server has loaded: pages share their modules, and browsers cannot have them. */
export const SERVER_PACKAGES = ['@hull/shell', '@hull/monitoring', '@hull/inbox']

/** Compiled by Vite where an application has them in `node_modules`; the entries above stay outside. */
export const HULL_PACKAGES = ['@hull/common', ...SERVER_PACKAGES]
