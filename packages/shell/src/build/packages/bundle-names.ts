import { basename, dirname, relative, sep } from 'node:path'

/** CommonJS packages that an application and Hull's packages both import. */
export const COMMON_JS = ['fastify', 'fastify-plugin']

/** CommonJS packages that this package loads with the first schema of a route. */
export const SCHEMA_COMPILERS = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler']

/** Name in the bundle for all packages that are not Hull's. It has a scope, so that all files are equally deep. */
export const OTHERS = '@npm/packages'

/** Prefix of the bundle's entries, followed by the name of a package. */
export const ENTRY = 'hull:entry/'

/**
 * Error reports do not count functions of a folder `node_modules` as the application's own. Node parses a `.js` file to
 * find its format if no package.json is near.
 */
export const toFile = (owner: string, name: string) => `node_modules/${owner}/${name}.mjs`

export const isCommonJs = (name: string) => COMMON_JS.includes(name) || SCHEMA_COMPILERS.includes(name)

export const toEntryFile = (name: string) => (isCommonJs(name) ? toFile(OTHERS, basename(name)) : toFile(name, 'index'))

/** @param name of a package and its thread, such as `@hull/inbox/worker` */
export const toThreadFile = (name: string) => toFile(dirname(name), basename(name))

export const toPath = (from: string, to: string) => relative(from, to).replaceAll(sep, '/')
