import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { originOf } from '@hull/common/http/request.ts'
import { LazyValue } from '@hull/common/lazy-value.ts'
import { isMarkedVisible } from '@hull/common/visible-error.ts'
import { requireOpen } from '../access/guard.ts'
import { canWrite } from '../api/can-write.ts'
import { InboxRequestInvalid, InboxTokenReadOnly, InboxUploadTooLarge } from '../errors.ts'
import type { FoundToken } from '../queries/people-types.ts'
import type { InboxRoutesOptions } from '../routes.ts'
import type { Call, Handlers } from '../uploads/handlers.ts'
import { MAX_BUNDLE_BYTES, MAX_REQUEST_BYTES } from '../uploads/limits.ts'

export interface InboxUploadsOptions extends Omit<InboxRoutesOptions, 'broadcast'> {
  /** Maximum bytes of an artifact bundle of source maps. @default 64 MiB */
  maxBundleBytes?: number
}

/** Maximum bytes of JSON: a release's commits list their files. */
const JSON_LIMIT = 4 * 1024 ** 2

const ORGANIZATION = '/organizations/:org'
const RELEASE = `${ORGANIZATION}/releases/:version`
const PROJECT = '/projects/:org/:project'
/** Addresses of a release of one project, which sentry-cli 2 uses. Version 3 names the projects in the body. */
const PROJECT_RELEASE = `${PROJECT}/releases/:version`

/* Not the organization itself: the Vite plugin would keep the inbox's address for its name, on that machine. */
const ROUTES = [
  ['GET', '/', 'describeToken'],
  ['GET', `${ORGANIZATION}/projects/`, 'listProjects'],
  ['GET', `${PROJECT}/`, 'getProject'],
  ['GET', `${ORGANIZATION}/repos/`, 'listRepositories'],
  ['POST', `${ORGANIZATION}/releases/`, 'createRelease'],
  ['GET', `${RELEASE}/`, 'getRelease'],
  ['PUT', `${RELEASE}/`, 'updateRelease'],
  ['POST', `${PROJECT}/releases/`, 'createRelease'],
  ['GET', `${PROJECT_RELEASE}/`, 'getRelease'],
  ['PUT', `${PROJECT_RELEASE}/`, 'updateRelease'],
  ['GET', `${RELEASE}/previous-with-commits/`, 'getPreviousRelease'],
  ['GET', `${RELEASE}/deploys/`, 'listDeploys'],
  ['POST', `${RELEASE}/deploys/`, 'createDeploy'],
  ['GET', `${ORGANIZATION}/chunk-upload/`, 'describeUpload'],
  ['POST', `${ORGANIZATION}/chunk-upload/`, 'addChunks'],
  ['POST', `${ORGANIZATION}/artifactbundle/assemble/`, 'assembleBundle']
] as const satisfies readonly (readonly [method: string, path: string, handler: keyof Handlers])[]

/**
 * /api/0/…: releases, deploys and source maps that sentry-cli and the bundler plugins send, with a token of the inbox.
 * The code behind the routes is loaded with the first request.
 */
export default fp<InboxUploadsOptions>(
  async function inboxUploads(app, { inbox, baseUrl, basePath = '', maxBundleBytes: maxBytes = MAX_BUNDLE_BYTES }) {
    const tokens = new WeakMap<FastifyRequest, FoundToken>()
    const lazyHandlers = new LazyValue(async (): Promise<Handlers> => {
      const { createHandlers } = await import('../uploads/handlers.ts')
      return createHandlers({ inbox, maxBytes, toOrigin: (request) => originOf(request, baseUrl) + basePath })
    })

    await app.register(async function uploadRoutes(scope) {
      // A form is read whole: the limit of its route is a few chunks.
      if (scope.hasContentTypeParser('multipart/form-data')) scope.removeContentTypeParser('multipart/form-data')
      scope.addContentTypeParser(
        'multipart/form-data',
        { parseAs: 'buffer' },
        async (_request: unknown, body: Buffer) => body
      )
      scope.setErrorHandler(sendRefusal)
      scope.addHook('onRequest', authenticate)
      for (const [method, path, name] of ROUTES)
        scope.route({
          method,
          url: `/api/0${path}`,
          bodyLimit: name === 'addChunks' ? MAX_REQUEST_BYTES : JSON_LIMIT,
          exposeHeadRoute: false,
          // A token is sent deliberately, so a page of another site cannot misuse it.
          config: { isApi: true, allowedOrigins: '*', untraced: true, unreported: true },
          async handler(request, reply) {
            const handlers: Record<string, (call: Call) => unknown> = await lazyHandlers.get()
            return handlers[name]!({ token: tokens.get(request)!, request, reply })
          }
        })
    })

    /** Runs before the body is read. */
    async function authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      requireOpen({ server: app })
      const token = await app.inboxTokens.authenticate(request, reply)
      if (request.method !== 'GET' && !canWrite(token)) throw new InboxTokenReadOnly()
      tokens.set(request, token)
    }
  },
  { name: 'inbox-uploads', fastify: '5.x', dependencies: ['inbox-api'] }
)

/** Sends refusals in the form that the tools print: one sentence, in `detail` alone. Other errors go on. */
function sendRefusal(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = toRefusal(error, request)
  if (!isMarkedVisible(refusal)) throw error
  return reply.code(refusal.statusCode!).send({ detail: `${refusal.code}: ${refusal.message}` })
}

/** Gives a code to Fastify's refusals of a body. */
function toRefusal(error: FastifyError, { routeOptions: { bodyLimit } }: FastifyRequest): FastifyError {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new InboxUploadTooLarge('The request', bodyLimit)
  const isBody = error.code?.startsWith('FST_ERR_CTP_') || error instanceof SyntaxError
  return isBody ? new InboxRequestInvalid(error.message) : error
}
