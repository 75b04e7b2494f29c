import createFastifyError from '@fastify/error'
import { markVisible } from './visible-error.ts'

/*
 * Every coded error, one line each: code, sentence, status. docs/errors.md explains each (a test holds the two
 * together). Below 500 the visitor reads the sentence; from 500 on it is for the log and the team alone.
 */

/** @param args as of @fastify/error */
const createError = ((...args: Parameters<typeof createFastifyError>) => {
  const Coded = createFastifyError(...args)
  markVisible(Coded.prototype)
  return Coded
}) as typeof createFastifyError

// configuration, refused at start
export const ConfigInvalid = createError('APP_CONFIG_INVALID', '%s', 500)

// pages, refused by the build and at the start of development
export const PageRootMissing = createError<[folder: string]>('APP_PAGE_ROOT_MISSING', 'The page root %s does not exist: create the folder, install the package that offers it, or correct `roots` of hull() in vite.config.ts', 500)
export const PageRootTwice = createError<[prefix: string, first: string, second: string]>('APP_PAGE_ROOT_TWICE', 'Two page roots have the prefix "%s": %s and %s. Give each a prefix of its own in `roots` of hull() in vite.config.ts', 500)
export const PageRootInvalid = createError<[folder: string, prefix: string]>('APP_PAGE_ROOT_INVALID', 'The prefix of the page root %s is "%s": write a path without parameters, such as /inbox', 500)
export const PageRouteTwice = createError<[first: string, second: string]>('APP_PAGE_ROUTE_TWICE', 'Two files for one address: %s and %s. Delete or rename one of them', 500)

// Hull's packages in an application, refused by the build and at the start of development
export const PackageMissing = createError<[file: string, name: string, again: string]>('APP_PACKAGE_MISSING', '%s imports %s, which is not installed: run npm install, or npm install %s, or remove the import', 500)
export const PackageInternal = createError<[file: string, source: string, entries: string]>('APP_PACKAGE_INTERNAL', '%s imports %s, which may change in any version: import what the entries of the package offer (%s)', 500)
export const PackageTwice = createError<[name: string, version: string, folder: string, otherVersion: string, otherFolder: string]>(
  'APP_PACKAGE_TWICE',
  '%s is installed twice: %s in %s, and %s in %s. Give all @hull packages in package.json one version, then run npm install',
  500
)

// use of Sentry's SDK that has no effect, told in the log
export const TelemetrySecondInit = createError<[]>(
  'APP_TELEMETRY_SECOND_INIT',
  'Sentry.init() was called, and has no effect: the server has started the SDK already. Remove the call; SENTRY_DSN, RELEASE, ENVIRONMENT and TRACES_SAMPLE_RATE set what it would, and Sentry.addIntegration() adds integrations',
  500
)
export const TelemetryOtherVersion = createError<[other: string, own: string]>(
  'APP_TELEMETRY_OTHER_VERSION',
  'Version %s of the Sentry SDK is in use, and what is reported through it is lost: install @sentry/node %s exactly, the version of the server, and remove the other',
  500
)

// what a request can get wrong
export const BadUrl = createError('APP_BAD_URL', 'The address is not valid: it is a path, each percent sign in it is followed by two hexadecimal digits of UTF-8, and it has no fragment', 400)
export const BadHost = createError('APP_BAD_HOST', 'The request needs one Host header: a host name or an address, and a port where needed', 400)
export const MethodNotAllowed = createError('APP_METHOD_NOT_ALLOWED', 'This page does not answer %s', 405)
export const NoPage = createError('APP_NO_PAGE', 'This address is no page: open the document', 404)
export const CrossSitePost = createError('APP_CROSS_SITE_POST', 'A form may be posted from this site only', 403)
export const FormUnsupported = createError('APP_FORM_UNSUPPORTED', 'A form is posted as application/x-www-form-urlencoded or multipart/form-data', 415)
export const FormMalformed = createError('APP_FORM_MALFORMED', 'The posted form could not be read', 400)
/** Nobody waits for the answer any more: not reported. Thrown with the name AbortError. */
export const ClientGone = createError<[options?: ErrorOptions]>('APP_CLIENT_GONE', 'The visitor left before the answer was ready', 499)
export const Overloaded = createError('APP_OVERLOADED', 'The server is busy; try again in a moment', 503)
export const SpoolUnavailable = createError<[options?: ErrorOptions]>('APP_MONITORING_SPOOL_UNAVAILABLE', 'Envelopes cannot be kept at the moment; try again later', 503)

// what the monitoring tunnel refuses
export const MonitoringMalformed = createError<[what: string]>('APP_MONITORING_MALFORMED', 'The envelope cannot be read: %s', 400)
export const MonitoringForeignDsn = createError('APP_MONITORING_FOREIGN_DSN', 'The envelope is for a DSN that is not accepted here', 403)
export const MonitoringCrossSite = createError('APP_MONITORING_CROSS_SITE', 'Envelopes are taken from pages of this site only', 403)
export const MonitoringMethod = createError<[method: string]>('APP_MONITORING_METHOD', 'Envelopes are sent by POST, not %s', 405)
export const MonitoringTooLarge = createError<[what: string]>('APP_MONITORING_TOO_LARGE', 'The envelope is too large: %s', 413)
export const MonitoringCoding = createError('APP_MONITORING_CODING', 'The body of an envelope is encoded as one of gzip, deflate, br and zstd, or not at all', 415)
export const MonitoringTooMany = createError('APP_MONITORING_TOO_MANY', 'Too many envelopes came from this address; try again in a moment', 429)

// what the inbox answers
export const InboxIssueNotFound = createError('APP_INBOX_ISSUE_NOT_FOUND', 'This issue does not exist: it was deleted, or its last event is older than the retention period', 404)
export const InboxEventNotFound = createError('APP_INBOX_EVENT_NOT_FOUND', 'There is no such event: it is older than the retention, or never came', 404)
export const InboxTraceNotFound = createError('APP_INBOX_TRACE_NOT_FOUND', 'There is no such trace: it was not sampled, or is older than the retention', 404)
export const InboxQueryInvalid = createError<[what: string]>('APP_INBOX_QUERY_INVALID', 'The search cannot be understood: %s', 400)
export const InboxCursorInvalid = createError('APP_INBOX_CURSOR_INVALID', 'This page of the list is not known; begin with its first page', 400)
export const InboxTooSlow = createError('APP_INBOX_TOO_SLOW', 'The question took too long for the amount of data; narrow it', 503)
export const InboxProjectNotFound = createError('APP_INBOX_PROJECT_NOT_FOUND', 'There is no such project: it was removed', 404)
export const InboxProjectInvalid = createError<[what: string]>('APP_INBOX_PROJECT_INVALID', 'Invalid project: %s', 422)
export const InboxAuthMissing = createError('APP_INBOX_AUTH_MISSING', 'The key of a DSN is missing: as sentry_key in the address, in X-Sentry-Auth, or with the dsn in the header of the envelope', 401)
export const InboxAuthTwice = createError('APP_INBOX_AUTH_TWICE', 'The key of a DSN is given twice: in the address and in a header', 401)
export const InboxAuthMismatch = createError('APP_INBOX_AUTH_MISMATCH', 'The dsn in the header of the envelope is for another project or key than the request', 401)
export const InboxKeyUnknown = createError('APP_INBOX_KEY_UNKNOWN', 'The key of the DSN is none of this project', 403)
export const InboxNothingSelected = createError('APP_INBOX_NOTHING_SELECTED', 'No issue was chosen: choose one at least', 400)
export const InboxKeyTooMany = createError('APP_INBOX_KEY_TOO_MANY', 'Too many envelopes came by this key; try again in a moment', 429)
export const InboxTooManySelected = createError<[limit: number]>('APP_INBOX_TOO_MANY_SELECTED', 'At most %s issues can be changed at once', 400)
export const InboxIgnoreInvalid = createError('APP_INBOX_IGNORE_INVALID', 'An issue can be ignored forever, until a number of events of at least 1, or until a time in the future', 400)
export const InboxMergeProjects = createError('APP_INBOX_MERGE_PROJECTS', 'Issues of different projects cannot be merged', 400)
export const InboxKeyAlone = createError('APP_INBOX_KEY_ALONE', 'All events of this issue have the same grouping key, so it cannot be split', 409)
export const InboxIssueBusy = createError('APP_INBOX_ISSUE_BUSY', 'The events of this issue are still being moved; try again in a moment', 409)
export const InboxTooManyScreens = createError('APP_INBOX_TOO_MANY_SCREENS', 'Too many screens are live at once; reload this one to update it', 429)
export const InboxUnavailable = createError<[options?: ErrorOptions]>('APP_INBOX_UNAVAILABLE', 'The inbox is temporarily unavailable', 503)

// the inbox's people
export const InboxLastAdmin = createError('APP_INBOX_LAST_ADMIN', 'This is the only admin; make another person an admin first', 409)
export const InboxNameTaken = createError('APP_INBOX_NAME_TAKEN', 'This name is taken; choose another', 409)
export const InboxPersonNotFound = createError('APP_INBOX_PERSON_NOT_FOUND', 'This person does not exist; they may have been removed', 404)
export const InboxTooManyTries = createError<[wait: string]>('APP_INBOX_TOO_MANY_TRIES', 'Too many wrong passwords. Try again in %s.', 429)

// what a page can get wrong
export const RenderTimeout = createError('APP_RENDER_TIMEOUT', 'The page took longer than RENDER_TIMEOUT (%s ms)', 500)
export const RedirectUnsafe = createError('APP_REDIRECT_UNSAFE', 'Redirect to %s: a path of this application, or http(s) with { external: true }', 500)
export const RedirectOrigin = createError<[target: string, origin: string]>('APP_REDIRECT_ORIGIN', 'An action redirects to %s, where no form may lead: add %s to REDIRECT_ORIGINS', 500)
export const RedirectLoop = createError('APP_REDIRECT_LOOP', '%s redirects to itself', 500)
export const PageInvalid = createError<[file: string, what: string]>('APP_PAGE_INVALID', '%s: %s', 500)
export const PayloadUnserialisable = createError('APP_PAYLOAD_UNSERIALISABLE', 'Page data at %s cannot be sent to the browser: %s', 500)
export const PayloadTooLarge = createError('APP_PAYLOAD_TOO_LARGE', 'Page data is %s characters long; the limit is %s', 500)
export const CachePrivate = createError<[page: string, what: string, advice: string]>('APP_PAGE_CACHE_PRIVATE', 'The page %s has `cache`, so it is rendered once for all visitors and cannot use %s: %s', 500)
export const MetaUnsupported = createError<[member: string]>('APP_PAGE_META_UNSUPPORTED', 'getMeta returned "%s", which Hull does not write; what every page needs goes into client/index.html', 500)
export const RouteHooksStale = createError<[id: string]>('APP_PAGE_HOOKS_STALE', 'The hooks that client%s exports are registered when the server starts; restart it', 500)
export const SessionTooLarge = createError('APP_SESSION_TOO_LARGE', 'A session is kept in a cookie and holds at most %s characters', 500)
export const SessionTooLate = createError('APP_SESSION_TOO_LATE', 'A session cannot change once the answer is being sent', 500)
export const FetchFailed = createError<[method: string, url: string, attempts: number, reason: string, options?: ErrorOptions]>('APP_FETCH_FAILED', '%s %s failed after %s attempts: %s', 500)
export const FetchDepth = createError('APP_FETCH_DEPTH', 'ctx.fetch of own routes is nested deeper than %s', 500)
export const FetchUrl = createError<[url: string, options?: ErrorOptions]>('APP_FETCH_URL', 'ctx.fetch of %s: a path of this application, or http(s) without user name and password', 500)
export const FetchRedirect = createError<[method: string, url: string, reason: string]>('APP_FETCH_REDIRECT', '%s %s: %s', 500)
export const FetchTooLarge = createError<[method: string, url: string, limit: number]>('APP_FETCH_TOO_LARGE', '%s %s answered more than %s bytes', 500)
