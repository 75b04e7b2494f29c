import { createError } from '@hull/common/create-error.ts'
import { asRefusal } from '@hull/common/visible-error.ts'

/* Coded errors of the shell: code, message, status. docs/errors.md explains each. */

// pages: refused by the build and when development starts
export const PageRootMissing = createError<[folder: string]>('APP_PAGE_ROOT_MISSING', 'The page root %s does not exist: create the folder, install the package that contains it, or correct `roots` of hull() in vite.config.ts', 500)
export const PageRootTwice = createError<[prefix: string, first: string, second: string]>('APP_PAGE_ROOT_TWICE', 'Two page roots have the prefix "%s": %s and %s. Give each a prefix of its own in `roots` of hull() in vite.config.ts', 500)
export const PageRootInvalid = createError<[folder: string, prefix: string]>('APP_PAGE_ROOT_INVALID', 'The prefix of the page root %s is "%s": write a path without parameters, such as /inbox', 500)
export const PageRouteTwice = createError<[first: string, second: string]>('APP_PAGE_ROUTE_TWICE', 'Two files for one address: %s and %s. Delete or rename one of them', 500)

// pages: refused at the start
export const PageRouteTaken = createError<[file: string, url: string, options?: ErrorOptions]>(
  'APP_PAGE_ROUTE_TAKEN',
  '%s has the address %s, which another route of the server has: rename the page, or change the file in routes/, the plugin or the setting that adds the route',
  500
)

// public files: refused at the start
export const PublicFileTaken = createError<[file: string, url: string, options?: ErrorOptions]>(
  'APP_PUBLIC_FILE_TAKEN',
  '%s has the address %s, which another route of the server has: rename the file, or change the file in routes/, the plugin or the setting that adds the route',
  500
)

// layouts: refused at the start
export const LayoutViewInvalid = createError<[file: string, name: string, found: string]>('APP_LAYOUT_VIEW_INVALID', '%s exports %s, which is %s: export a component, or remove the export', 500)

// packages: refused by the build and when development starts
export const PackageMissing = createError<[file: string, name: string, again: string]>('APP_PACKAGE_MISSING', '%s imports %s, which is not installed: run npm install, or npm install %s, or remove the import', 500)
export const PackageInternal = createError<[file: string, source: string, entries: string]>('APP_PACKAGE_INTERNAL', '%s imports %s, which may change in any version: import from an entry of the package (%s)', 500)
export const PackageTwice = createError<[name: string, version: string, folder: string, otherVersion: string, otherFolder: string]>(
  'APP_PACKAGE_TWICE',
  '%s is installed twice: %s in %s, and %s in %s. Give all @hull packages in package.json one version, then run npm install',
  500
)

// build: refused at the start
export const BuildPlace = createError<[variable: string, wanted: string, built: string]>('APP_BUILD_PLACE', '%s is %s, but the build was made with %s: run npm run build with the same value, or remove the variable', 500)

// broadcast: refused at the start
export const BroadcastPackageMissing = createError<[variable: string, name: string, again: string]>('APP_BROADCAST_PACKAGE_MISSING', '%s is set, and the package %s is not installed: run npm install %s, or remove the variable', 500)

// export: refused by the command
export const ExportFolder = createError<[folder: string]>('APP_EXPORT_FOLDER', '%s has files that no export wrote: name a folder that is new or empty', 500)

// routes: refused at the start
export const RouteLinked = createError<[path: string]>(
  'APP_ROUTE_LINKED',
  "%s: a symbolic link leads to it, and its routes would be missing. Move it here, or write a file whose text is: export { default } from '<path of the other file>'",
  500
)
export const RouteInvalid = createError<[file: string, found: string]>('APP_ROUTE_INVALID', '%s is in routes/, and its default export is %s: export a Fastify plugin as default, or move the file out of routes/, or beside an index.ts', 500)
export const RouteOrigin = createError<[url: string, found: string]>('APP_ROUTE_ORIGIN', 'allowedOrigins of %s has "%s", which is no origin: write scheme, host and port only, such as https://app.example', 500)

// requests
export const BadUrl = createError('APP_BAD_URL', 'The address is not valid: send a path without a fragment, in which two hexadecimal digits of UTF-8 follow each percent sign', 400)
export const BasePathOutside = createError<[basePath: string]>('APP_BASE_PATH_OUTSIDE', 'Nothing is at this address: all pages of this application are below %s/', 404)
export const BadHost = createError('APP_BAD_HOST', 'The request needs one Host header: a host name or an address, and a port where needed', 400)
export const MethodNotAllowed = createError('APP_METHOD_NOT_ALLOWED', 'This page does not answer %s', 405)
export const NoPage = createError('APP_NO_PAGE', 'This address is no page, so it has no page data: request the address itself', 404)
export const CrossSitePost = createError('APP_CROSS_SITE_POST', 'A form may be posted from this site only', 403)
export const CrossSiteRequest = createError('APP_CROSS_SITE_REQUEST', 'Requests from other sites are refused at this address', 403)
export const FormUnsupported = createError('APP_FORM_UNSUPPORTED', 'Post a form as application/x-www-form-urlencoded or multipart/form-data; for any other body, write a route', 415)
export const FormMalformed = createError<[options?: ErrorOptions]>('APP_FORM_MALFORMED', 'The posted form could not be read', 400)
export const FieldName = createError<[name: string]>('APP_FIELD_NAME', 'The field name %s is not accepted', 400)
export const TooManyFields = createError<[limit: number]>('APP_FORM_TOO_MANY_FIELDS', 'The form has more than %s fields', 413)
export const FormTokenMissing = createError('APP_FORM_TOKEN_MISSING', 'The form has no token: reload the page and send it again', 400)
export const FormTokenReused = createError('APP_FORM_TOKEN_REUSED', 'This form was already sent with other values: reload the page to send it again', 409)
export const UploadEncoded = createError('APP_UPLOAD_ENCODED', 'Send a form with files without Content-Encoding: this page reads it as it arrives', 415)
export const UploadTooLarge = createError<[what: string, limit: string]>('APP_UPLOAD_TOO_LARGE', '%s is larger than %s', 413)
export const UploadTooMany = createError<[limit: number, what: string]>('APP_UPLOAD_TOO_MANY', 'The form has more than %s %s', 413)
export const SearchInvalid = createError<[names: string]>('APP_SEARCH_INVALID', 'The address has no valid value for: %s', 400)
export const Overloaded = asRefusal(createError('APP_OVERLOADED', 'The server is busy; try again in a moment', 503))

// pages
export const RenderTimeout = createError('APP_RENDER_TIMEOUT', 'The page took longer than RENDER_TIMEOUT (%s ms): make its guard, data or component faster, or stream the slow part', 500)
export const RedirectUnsafe = createError('APP_REDIRECT_UNSAFE', 'Redirect to %s refused: pass a path of this application, or an http(s) address with { external: true }', 500)
export const RedirectOrigin = createError<[target: string, origin: string]>('APP_REDIRECT_ORIGIN', 'An action redirects to %s, another origin: add %s to REDIRECT_ORIGINS', 500)
export const RedirectLoop = createError('APP_REDIRECT_LOOP', '%s redirects to itself: redirect to another address, or only under a condition', 500)
export const PageInvalid = createError<[file: string, what: string]>('APP_PAGE_INVALID', '%s: %s', 500)
export const PageUnloadable = createError<[file: string, options: ErrorOptions]>('APP_PAGE_UNLOADABLE', '%s cannot be loaded', 500)
export const SchemaFailed = createError<[file: string, vendor: string, part: string, options?: ErrorOptions]>('APP_SCHEMA_FAILED', '%s: the %s schema for "%s" threw', 500)
export const PayloadUnserialisable = createError('APP_PAYLOAD_UNSERIALISABLE', 'Page data at %s cannot be sent to the browser: %s', 500)
export const PayloadTooLarge = createError('APP_PAYLOAD_TOO_LARGE', 'Page data is %s characters long, and the limit is %s: return less from getData', 500)
export const CachePrivate = createError<[page: string, what: string, advice: string]>('APP_PAGE_CACHE_PRIVATE', 'The page %s is rendered once for all visitors and cannot use %s: %s', 500)
export const MetaUnsupported = createError<[member: string]>('APP_PAGE_META_UNSUPPORTED', 'getMeta returned "%s", which Hull does not write; what every page needs goes into client/index.html', 500)
export const RouteHooksStale = createError<[id: string]>('APP_PAGE_HOOKS_STALE', 'The hooks and uploads that client%s exports are registered when the server starts; restart it', 500)
export const SessionTooLarge = createError('APP_SESSION_TOO_LARGE', 'The session has more than %s characters, the limit of its cookie: store an id in it, and the rest in a database', 500)
export const SessionTooLate = createError('APP_SESSION_TOO_LATE', 'The session was changed after the response had begun: change it in guard or action, or before getData returns', 500)
export const FetchFailed = createError<[method: string, url: string, attempts: number, reason: string, options?: ErrorOptions]>('APP_FETCH_FAILED', '%s %s failed after %s attempts: %s', 500)
export const FetchDepth = createError('APP_FETCH_DEPTH', 'Calls of ctx.fetch to own routes are nested deeper than %s: call the function behind the route instead', 500)
export const FetchUrl = createError<[url: string, options?: ErrorOptions]>('APP_FETCH_URL', 'ctx.fetch cannot request %s: pass a path of this application, or an http(s) address without user name and password', 500)
export const FetchRedirect = createError<[method: string, url: string, reason: string]>('APP_FETCH_REDIRECT', '%s %s: %s', 500)
export const FetchTooLarge = createError<[method: string, url: string, limit: number]>('APP_FETCH_TOO_LARGE', '%s %s answered more than %s bytes: request less', 500)
