import { createRequire } from 'node:module'
import type { FastifyServerOptions } from 'fastify'

const require = createRequire(import.meta.url)

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>

/** Fastify's own compilers, loaded by the first route that has a schema: a start without one is the shorter for it. */
export const schemaCompilers = {
  buildValidator: lazily('@fastify/ajv-compiler'),
  buildSerializer: lazily('@fastify/fast-json-stringify-compiler')
} as CompilersFactory

/** A factory of compilers from the package that makes it, asked for when it is first called. */
function lazily(name: string) {
  return (...args: unknown[]): unknown => {
    const select = require(name) as () => (...args: unknown[]) => unknown
    return select()(...args)
  }
}
