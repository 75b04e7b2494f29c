/** Server side of @hull/shell: pages on Fastify. */
export type { Directives } from './http/csp.ts'
export { textOf } from './http/form.ts'
export { createFastify, type FastifyOptions } from './server/create-fastify.ts'
export { readBuild, type Build, type BuildSettings } from './server/build-id.ts'
export { closeOnSignals } from './server/shutdown.ts'
export { readSessionSecrets } from './config/session-secret.ts'
export { findOriginWarnings, isLocal } from './config/settings.ts'
export { SHELL_SETTINGS } from './config/settings.ts'
export { loadOrExit, readSettings, setting, type Setting } from '@hull/common/settings/settings.ts'
export { toFlag } from '@hull/common/settings/values.ts'
export { HULL_VERSION } from '@hull/common/version.ts'
export { forbidden, notFound, redirect, unauthorized } from '@hull/common/outcomes.ts'
export { markVisible, visibleError } from '@hull/common/visible-error.ts'
export { toOwnPath } from '@hull/common/safe-url.ts'
export {
  createSignInThrottle,
  type SignInAttempt,
  type SignInThrottle,
  type SignInThrottleOptions
} from '@hull/common/http/sign-in-throttle.ts'
export {
  createOidc,
  OIDC_PROBLEMS,
  OidcError,
  PENDING_AGE,
  toRoles,
  type Oidc,
  type OidcCode,
  type OidcIdentity,
  type OidcOptions,
  type PendingSignIn,
  type RoleMapping
} from '@hull/common/http/oidc.ts'
export { collectGarbage } from '@hull/common/collect-garbage.ts'
export { hashPassword, verifyPassword } from '@hull/common/http/password-hash.ts'
export type { Broadcast, BroadcastMember, Publish } from '@hull/common/broadcast.ts'
export { PageCache, type Invalidated, type Invalidation, type PageCacheOptions } from './render/page-cache.ts'
export type { Submission, SubmissionStore } from './render/submissions.ts'
export { default as afterStart } from './plugins/after-start.ts'
export { default as appConfig } from './plugins/app-config.ts'
export { default as broadcast } from './plugins/broadcast.ts'
export { default as assets } from './plugins/assets.ts'
export { default as compression } from './plugins/compression.ts'
export { default as crossSite } from './plugins/cross-site.ts'
export { default as drain } from './plugins/drain.ts'
export { default as errorReport } from './plugins/error-report.ts'
export { default as fallbacks } from './plugins/fallbacks.ts'
export { default as health } from './plugins/health.ts'
export { default as loadShedding } from './plugins/load-shedding.ts'
export { default as pageFetch } from './plugins/page-fetch.ts'
export type { ListedRoute } from './plugins/pages/list-routes.ts'
export { default as pages } from './plugins/pages/index.ts'
export { default as replyClose } from './plugins/reply-close.ts'
export { default as requestLog } from './plugins/request-log.ts'
export { default as routes } from './plugins/routes.ts'
export { default as security } from './plugins/security.ts'
export { default as session } from './plugins/session.ts'
export { default as urlGuard } from './plugins/url-guard.ts'
export type { Session, SessionData, SessionLifetime } from './plugins/session.ts'
