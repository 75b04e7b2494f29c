import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { toReach } from '../access/reach.ts'
import { isAtLeast, roleIn } from '../access/roles.ts'
import { parse } from '../api/operation.ts'
import {
  InboxChunkInvalid,
  InboxProjectUnknown,
  InboxReleaseNotFound,
  InboxRequestInvalid,
  InboxRoleTooLow
} from '../errors.ts'
import type { Project } from '../store/model.ts'
import { toVersion } from '../store/projects.ts'
import type { Inbox } from '../store/inbox.ts'
import type { FoundToken } from '../queries/people-types.ts'
import type { DeployRow, ReleaseInfo } from '../queries/releases/release-types.ts'
import { REPOSITORY_HOSTS, type Repository } from '../web/repository.ts'
import { createAssembler } from './assemble.ts'
import { readChunks } from './chunks.ts'
import { CHUNK_BYTES, CHUNKS_PER_REQUEST, MAX_PROJECTS } from './limits.ts'

/* The part of Sentry's API that sentry-cli and the bundler plugins use. There is one organization, of any name. */

export interface HandlersOptions {
  inbox: Inbox
  /** Maximum bytes of a bundle. */
  maxBytes: number
  /** Address of the request's server, with the application's prefix. */
  toOrigin: (request: FastifyRequest) => string
}

const Sha1 = z.string().regex(/^[\da-f]{40}$/, 'expected a SHA-1 checksum')
const Version = z
  .string()
  .refine((text) => text !== '' && toVersion(text) === text, 'expected a version of 1 to 250 characters')
const Time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))
const Slugs = z
  .array(z.union([z.string(), z.number()]).transform(String))
  .min(1)
  .max(MAX_PROJECTS)
const CommitId = z.string().min(1).max(64)

const Release = z.object({
  version: Version.optional(),
  projects: Slugs.optional(),
  dateReleased: Time.nullish(),
  refs: z.array(z.object({ repository: z.string(), commit: CommitId })).optional(),
  commits: z
    .array(
      z.object({
        id: CommitId,
        message: z.string().nullish(),
        author_name: z.string().nullish(),
        timestamp: Time.nullish()
      })
    )
    .optional()
})

const Deploy = z.object({
  environment: z.string().min(1).max(200),
  name: z.string().max(200).nullish(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .nullish(),
  dateStarted: Time.nullish(),
  dateFinished: Time.nullish(),
  projects: Slugs.nullish()
})

const Bundle = z.object({
  checksum: Sha1,
  chunks: z.array(Sha1).min(1),
  projects: Slugs,
  version: Version.optional()
})

/** A request, with the token that it was sent with. */
export interface Call {
  token: FoundToken
  request: FastifyRequest
  reply: FastifyReply
}

/** Creates the handlers of the routes in plugins/inbox-uploads.ts. */
export function createHandlers({ inbox, maxBytes, toOrigin }: HandlersOptions) {
  const { changes } = inbox
  const assemble = createAssembler(inbox, maxBytes)
  const queriesOf = ({ token }: Call) => toReach(inbox, token).queries

  return {
    describeToken: async () => ({ auth: { scopes: ['project:releases', 'org:read'] }, user: null }),
    listProjects: async (call: Call) => (await queriesOf(call).listProjects()).map(toProject),
    getProject: async (call: Call) => toProject((await findProjects(call, [paramsOf(call.request).project]))[0]!),

    /** Repositories, whose commits `set-commits` names. */
    async listRepositories(call: Call) {
      const queries = queriesOf(call)
      const found = await Promise.all(
        (await queries.listProjects()).map(async ({ id, created }) => {
          const repository = await queries.getRepository({ project: id })
          return repository ? [toRepository(id, created, repository)] : []
        })
      )
      return found.flat()
    },

    async createRelease(call: Call) {
      const { version, ...release } = parse(Release, call.request.body)
      if (version === undefined) throw new InboxRequestInvalid('version: expected a version')
      await declare(call, version, release)
      return call.reply.code(201).send(await describe(call, version))
    },
    async updateRelease(call: Call) {
      const version = parse(Version, paramsOf(call.request).version)
      await declare(call, version, parse(Release, call.request.body))
      return describe(call, version)
    },
    getRelease: (call: Call) => describe(call, paramsOf(call.request).version),
    async getPreviousRelease(call: Call) {
      const queries = queriesOf(call)
      const previous = await queries.getPreviousRelease({ version: paramsOf(call.request).version })
      return previous ? toRelease(previous, await queries.listProjects()) : {}
    },

    async listDeploys(call: Call) {
      return (await queriesOf(call).listDeploys({ version: paramsOf(call.request).version })).map(toDeploy)
    },
    async createDeploy(call: Call) {
      const { version } = paramsOf(call.request)
      const { environment, name, url, dateStarted, dateFinished, projects } = parse(Deploy, call.request.body)
      await changes.addDeploy({
        version,
        environment,
        name: name ?? undefined,
        url: url ?? undefined,
        started: dateStarted ?? undefined,
        finished: dateFinished ?? Date.now(),
        projects: await findWritable(call, projects ?? undefined),
        ...authorOf(call)
      })
      return call.reply.code(201).send(toDeploy((await queriesOf(call).listDeploys({ version }))[0]!))
    },

    describeUpload: async ({ request }: Call) => ({
      // Whole: the bundler plugins refuse to send a token to an address without an origin.
      url: `${toOrigin(request)}/api/0/organizations/${encodeURIComponent(paramsOf(request).org)}/chunk-upload/`,
      chunkSize: CHUNK_BYTES,
      chunksPerRequest: CHUNKS_PER_REQUEST,
      maxRequestSize: CHUNKS_PER_REQUEST * CHUNK_BYTES,
      maxFileSize: maxBytes,
      maxWait: 0,
      hashAlgorithm: 'sha1',
      concurrency: 2,
      compression: ['gzip'],
      // Without release_files, sentry-cli 2 sends no bundle, but each file by itself.
      accept: ['release_files', 'artifact_bundles', 'artifact_bundles_v2']
    }),
    async addChunks({ request: { body, headers } }: Call) {
      if (!Buffer.isBuffer(body)) throw new InboxChunkInvalid('the request is no form with files')
      for (const { sha1, body: chunk } of await readChunks(body, headers['content-type']!))
        await changes.addChunk({ sha1, body: chunk, maxBytes: 2 * maxBytes, at: Date.now() })
      return {}
    },
    async assembleBundle(call: Call) {
      const { projects, version = '', ...bundle } = parse(Bundle, call.request.body)
      const writable = await findWritable(call, projects)
      // Without a listener, Node closes a connection that is silent for long: thousands of maps take minutes.
      call.reply.raw.on(
        'timeout',
        safeCallback(() => {})
      )
      return assemble({ ...bundle, release: version, projects: writable, ...authorOf(call) })
    }
  }

  async function declare(call: Call, version: string, release: z.output<typeof Release>): Promise<void> {
    const { project } = paramsOf(call.request) as { project?: string }
    const { projects = project === undefined ? undefined : [project], refs, commits, dateReleased } = release
    await changes.declareRelease({
      version,
      projects: await findWritable(call, projects),
      creates: projects !== undefined,
      released: dateReleased ?? undefined,
      commit: refs?.[0]?.commit,
      commits: commits?.map(({ id, message, author_name: author, timestamp }) => ({
        id,
        title: (message ?? '').trim().split('\n')[0]!,
        author: author ?? undefined,
        at: timestamp ?? undefined
      })),
      at: Date.now(),
      ...authorOf(call)
    })
  }

  async function describe(call: Call, version: string) {
    const queries = queriesOf(call)
    const release = await queries.getRelease({ version })
    if (!release) throw new InboxReleaseNotFound(version)
    return toRelease(release, await queries.listProjects())
  }

  /** @throws InboxProjectUnknown */
  async function findProjects(call: Call, names: readonly string[]): Promise<Project[]> {
    const projects = await queriesOf(call).listProjects()
    return names.map((name) => {
      const byId = projects.find(({ id }) => String(id) === name)
      const bySlug = projects.filter((project) => toSlug(project.name) === name)
      const found = byId ?? (bySlug.length === 1 ? bySlug[0] : undefined)
      if (!found) throw new InboxProjectUnknown(name)
      return found
    })
  }

  /**
   * Ids of projects that the token may change.
   * @param names @default all
   * @throws InboxProjectUnknown
   * @throws InboxRoleTooLow for a named project
   */
  async function findWritable(call: Call, names?: readonly string[]): Promise<number[]> {
    const mayWrite = ({ id }: Project) => isAtLeast(roleIn(call.token, id), 'member')
    if (names === undefined) return idsOf((await queriesOf(call).listProjects()).filter(mayWrite))
    const projects = await findProjects(call, names)
    if (!projects.every(mayWrite)) throw new InboxRoleTooLow('member')
    return idsOf(projects)
  }
}

export type Handlers = ReturnType<typeof createHandlers>

const paramsOf = ({ params }: FastifyRequest) => params as { org: string; project: string; version: string }

const authorOf = ({ token: { person, name } }: Call) => ({ by: person, token: name })

/** Each id once: a project may be named by its number and by its name. */
const idsOf = (projects: readonly Project[]): number[] => [...new Set(projects.map(({ id }) => id))]

/** `This application` is `this-application`. */
const toSlug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')

const toTime = (at: number): string => new Date(at).toISOString()

const toProject = ({ id, name, created }: Project) => ({
  id: String(id),
  slug: toSlug(name),
  name,
  dateCreated: toTime(created),
  status: 'active',
  features: []
})

const toRepository = (project: number, created: number, { host, url }: Repository) => ({
  id: String(project),
  // `acme/shop` of `https://github.com/acme/shop`
  name: new URL(url).pathname.slice(1),
  url,
  provider: { id: `integrations:${host}`, name: REPOSITORY_HOSTS[host].label },
  status: 'active',
  dateCreated: toTime(created)
})

const toRelease = (release: ReleaseInfo, projects: readonly Project[]) => ({
  id: release.id,
  version: release.version,
  shortVersion: release.version,
  status: 'open',
  url: null,
  ref: release.commit,
  dateCreated: toTime(release.created),
  dateReleased: release.released === null ? null : toTime(release.released),
  lastEvent: toTime(release.lastSeen),
  newGroups: release.newIssues,
  commitCount: release.commits,
  deployCount: release.deploys,
  lastCommit: release.commit === null ? null : { id: release.commit },
  authors: [],
  projects: projects.filter(({ id }) => release.projects.includes(id)).map(toProject)
})

const toDeploy = ({ id, environment, name, url, started, finished }: DeployRow) => ({
  id: String(id),
  environment,
  name: name ?? null,
  url: url ?? null,
  dateStarted: started === undefined ? null : toTime(started),
  dateFinished: toTime(finished)
})
