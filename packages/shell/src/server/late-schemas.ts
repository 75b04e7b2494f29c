import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import { errorCodes, type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type {} from '../plugins/after-start.ts'
import type {} from '../plugins/health.ts'

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>

/** A schema of a route, as Fastify passes it to a compiler. Only the schema of a response has `httpStatus`. */
interface RouteSchema {
  schema: unknown
  method: string
  url: string
  httpStatus?: string
}

type Compile = (schema: RouteSchema) => Compiled

/** A compiled schema: Fastify reads `errors` of one that validates. */
type Compiled = ((this: unknown, ...args: unknown[]) => unknown) & { errors?: unknown }

const require = createRequire(import.meta.url)

/** Compiles the schemas of routes with Fastify's own compilers, each when it is first used, or after the start. */
export class LateSchemas {
  readonly #waiting = new Set<() => unknown>()

  readonly compilersFactory = {
    buildValidator: this.#buildLate('@fastify/ajv-compiler'),
    buildSerializer: this.#buildLate('@fastify/fast-json-stringify-compiler')
  } as unknown as CompilersFactory

  /**
   * Compiles all schemas after the start; /readyz answers 200 only when they are compiled. A server without the decorator
   * `afterStart` compiles them before it listens.
   */
  compileAfterStart(app: FastifyInstance): void {
    app.addHook('onReady', async () => {
      if (!app.hasDecorator('afterStart')) return this.#compileAll()
      app.afterStart(() => this.#compileAll())
      if (app.hasDecorator('health')) app.health.addCheck('schemas', () => this.#compileAll())
    })
  }

  /** @throws FST_ERR_SCH_VALIDATION_BUILD or FST_ERR_SCH_SERIALIZATION_BUILD, which names the route */
  async #compileAll(): Promise<void> {
    for (const compile of this.#waiting) {
      compile()
      await setImmediate()
    }
  }

  /** Returns what Fastify expects: a function that makes the compiler of a scope from its shared schemas. */
  #buildLate(name: string) {
    return (...options: unknown[]): Compile => {
      let compile: Compile | undefined
      return (schema) =>
        this.#compileLate(schema, () => {
          compile ??= (require(name) as () => (...options: unknown[]) => Compile)()(...options)
          return compile(schema)
        })
    }
  }

  #compileLate({ method, url, httpStatus }: RouteSchema, compile: () => Compiled): Compiled {
    let compiled: Compiled | undefined
    const getCompiled = () => {
      try {
        compiled ??= compile()
      } catch (err) {
        const { FST_ERR_SCH_VALIDATION_BUILD, FST_ERR_SCH_SERIALIZATION_BUILD } = errorCodes
        const BuildError = httpStatus === undefined ? FST_ERR_SCH_VALIDATION_BUILD : FST_ERR_SCH_SERIALIZATION_BUILD
        throw new BuildError(method, url, (err as Error).message)
      }
      this.#waiting.delete(getCompiled)
      return compiled
    }
    this.#waiting.add(getCompiled)

    function late(this: unknown, ...args: unknown[]) {
      return getCompiled().apply(this, args)
    }
    return Object.defineProperty(late, 'errors', { get: () => compiled?.errors })
  }
}
