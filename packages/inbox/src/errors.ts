import { createError } from '@hull/common/create-error.ts'
import { asOutage, asRefusal } from '@hull/common/visible-error.ts'

/* Coded errors of the inbox: code, message, status. docs/errors.md explains each. */

// pages and intake
export const InboxIssueNotFound = createError('APP_INBOX_ISSUE_NOT_FOUND', 'This issue does not exist: it was deleted or merged into another, or its last event is older than the retention period', 404)
export const InboxEventNotFound = createError('APP_INBOX_EVENT_NOT_FOUND', 'This event does not exist: it is older than the retention period, or it was never received', 404)
export const InboxTraceNotFound = createError('APP_INBOX_TRACE_NOT_FOUND', 'This trace does not exist: it was not sampled, or it is older than the retention period', 404)
export const InboxMonitorNotFound = createError('APP_INBOX_MONITOR_NOT_FOUND', 'This monitor does not exist: it was deleted, or its last check-in is older than the retention period', 404)
export const InboxQueryInvalid = createError<[what: string]>('APP_INBOX_QUERY_INVALID', 'The search is invalid. %s', 400)
export const InboxSearchInvalid = createError<[what: string]>('APP_INBOX_SEARCH_INVALID', 'The search cannot be saved: %s', 422)
export const InboxSearchNameTaken = createError('APP_INBOX_SEARCH_NAME_TAKEN', 'Another saved search has this name; choose another name, or remove that search first', 409)
export const InboxSearchTooMany = createError<[limit: number]>('APP_INBOX_SEARCH_TOO_MANY', 'At most %s searches can be saved; remove one first', 409)
export const InboxSearchNotFound = createError('APP_INBOX_SEARCH_NOT_FOUND', 'This saved search does not exist; somebody may have removed it', 404)
export const InboxCursorInvalid = createError('APP_INBOX_CURSOR_INVALID', 'This page of the list does not exist; open the list from its first page', 400)
export const InboxTooSlow = asRefusal(createError('APP_INBOX_TOO_SLOW', 'This query reads too much data; choose a shorter time range or one project, or search for fewer words', 503))
export const InboxProjectNotFound = createError('APP_INBOX_PROJECT_NOT_FOUND', 'This project does not exist: it was removed', 404)
export const InboxProjectInvalid = createError<[what: string]>('APP_INBOX_PROJECT_INVALID', 'Invalid project: %s', 422)
export const InboxRepositoryInvalid = createError('APP_INBOX_REPOSITORY_INVALID', 'Choose the kind of the repository, and enter the address of its front page, such as https://github.com/acme/shop', 422)
export const InboxAuthMissing = createError('APP_INBOX_AUTH_MISSING', 'The key of a DSN is missing: as sentry_key in the address, in X-Sentry-Auth, or with the dsn in the header of the envelope', 401)
export const InboxAuthTwice = createError('APP_INBOX_AUTH_TWICE', 'The key of a DSN is given twice: in the address and in a header', 401)
export const InboxAuthMismatch = createError('APP_INBOX_AUTH_MISMATCH', 'The dsn in the header of the envelope is for another project or key than the request', 401)
export const InboxKeyUnknown = createError('APP_INBOX_KEY_UNKNOWN', 'The key of the DSN does not belong to this project', 403)
export const InboxNothingSelected = createError('APP_INBOX_NOTHING_SELECTED', 'No issues are selected; select at least one', 400)
export const InboxKeyTooMany = createError('APP_INBOX_KEY_TOO_MANY', 'Too many envelopes were sent with this key; try again in a moment', 429)
export const InboxTooManySelected = createError<[limit: number]>('APP_INBOX_TOO_MANY_SELECTED', 'At most %s issues can be changed at once', 400)
export const InboxIgnoreInvalid = createError('APP_INBOX_IGNORE_INVALID', 'An issue can be ignored forever, until a number of events of at least 1, or until a time in the future', 400)
export const InboxMergeProjects = createError('APP_INBOX_MERGE_PROJECTS', 'Issues of different projects cannot be merged', 400)
export const InboxKeyAlone = createError('APP_INBOX_KEY_ALONE', 'All events of this issue have the same grouping key, so it cannot be split', 409)
export const InboxKeyMoved = createError('APP_INBOX_KEY_MOVED', 'These events are no longer part of this issue: somebody else split them off, or undid the merge', 409)
export const InboxIssueBusy = createError('APP_INBOX_ISSUE_BUSY', 'The events of this issue are still being moved; try again in a moment', 409)
export const InboxMailInvalid = createError('APP_INBOX_MAIL_INVALID', 'Enter one mail address, such as ada@shop.example', 422)
export const InboxMailCodeWrong = createError('APP_INBOX_MAIL_CODE_WRONG', 'This is not the code of the newest mail', 422)
export const InboxMailCodesTooMany = createError('APP_INBOX_MAIL_CODES_TOO_MANY', 'Too many codes were sent; try again in a minute', 429)
export const InboxCommentNotFound = createError('APP_INBOX_COMMENT_NOT_FOUND', 'This comment does not exist: it was deleted', 404)
export const InboxCommentForeign = createError('APP_INBOX_COMMENT_FOREIGN', 'Only the person who wrote a comment can change or delete it', 403)
export const InboxAssigneeInvalid = createError('APP_INBOX_ASSIGNEE_INVALID', 'This person was removed, or has no role in the project of the issue; choose another person', 422)
export const InboxTooManyScreens = createError('APP_INBOX_TOO_MANY_SCREENS', 'Too many screens are live at once; reload this one to update it', 429)
export const InboxTooManySuggestions = createError('APP_INBOX_TOO_MANY_SUGGESTIONS', 'Too many searches were typed at once; try again in a few seconds', 429)
export const InboxUnavailable = asOutage(createError<[options?: ErrorOptions]>('APP_INBOX_UNAVAILABLE', 'The inbox cannot be used at the moment; try again in a minute', 503))

// API
export const InboxTokenMissing = createError('APP_INBOX_TOKEN_MISSING', 'Send a token as "Authorization: Bearer <token>"; members and admins create tokens in the settings of the inbox', 401)
export const InboxTokenInvalid = createError('APP_INBOX_TOKEN_INVALID', 'This token is unknown or was revoked, or its person was removed', 401)
export const InboxTokenReadOnly = createError('APP_INBOX_TOKEN_READ_ONLY', 'This token can only read; use a token of a member or admin that can change issues', 403)
export const InboxTokenTooMany = createError('APP_INBOX_TOKEN_TOO_MANY', 'Too many requests were sent with this token; try again after the time in Retry-After', 429)
export const InboxRequestInvalid = createError<[what: string]>('APP_INBOX_REQUEST_INVALID', 'The request is invalid: %s', 400)
export const InboxIssueChanged = createError('APP_INBOX_ISSUE_CHANGED', 'Somebody else changed this issue since the version that was sent; read it again', 409)
export const InboxCommentInvalid = createError<[limit: number]>('APP_INBOX_COMMENT_INVALID', 'A comment has 1 to %s characters', 422)

// uploads
export const InboxProjectUnknown = createError<[project: string]>('APP_INBOX_PROJECT_UNKNOWN', 'No project, or more than one, is called "%s"; use its number, which ends its DSN, or its name in lower case with hyphens', 400)
export const InboxReleaseNotFound = createError<[version: string]>('APP_INBOX_RELEASE_NOT_FOUND', 'No project has a release "%s"; create it first', 404)
export const InboxUploadTooLarge = createError<[what: string, limit: number]>('APP_INBOX_UPLOAD_TOO_LARGE', '%s is larger than %s bytes', 413)
export const InboxChunkInvalid = createError<[what: string, options?: ErrorOptions]>('APP_INBOX_CHUNK_INVALID', 'A part of the upload is invalid: %s', 400)
export const InboxBundleInvalid = createError<[what: string, options?: ErrorOptions]>('APP_INBOX_BUNDLE_INVALID', 'The bundle of source maps is invalid: %s', 422)

// people
export const InboxRoleTooLow = createError<[role: string]>('APP_INBOX_ROLE_TOO_LOW', 'This needs the role %s in the project; ask an admin', 403)
export const InboxLastAdmin = createError('APP_INBOX_LAST_ADMIN', 'This is the only admin; make another person an admin first', 409)
export const InboxNameTaken = createError('APP_INBOX_NAME_TAKEN', 'This name is taken; choose another', 409)
export const InboxPersonNotFound = createError('APP_INBOX_PERSON_NOT_FOUND', 'This person does not exist; they may have been removed', 404)
export const InboxPersonRemoved = createError('APP_INBOX_PERSON_REMOVED', 'An admin removed you from this inbox; ask an admin for an invitation', 403)
export const InboxRoleMissing = createError('APP_INBOX_ROLE_MISSING', 'Your account has no role in this inbox; ask an admin to add you to a group that INBOX_OIDC_ROLES names', 403)
export const InboxTooManyTries = createError<[wait: string]>('APP_INBOX_TOO_MANY_TRIES', 'Too many wrong passwords. Try again in %s.', 429)

// alerts
export const InboxChannelNotFound = createError('APP_INBOX_CHANNEL_NOT_FOUND', 'This channel does not exist; somebody may have removed it', 404)
export const InboxChannelInvalid = createError<[what: string]>('APP_INBOX_CHANNEL_INVALID', 'Invalid channel: %s', 422)
export const InboxRuleInvalid = createError<[what: string]>('APP_INBOX_RULE_INVALID', 'Invalid rule: %s', 422)
export const InboxThresholdNotFound = createError('APP_INBOX_THRESHOLD_NOT_FOUND', 'This threshold does not exist; somebody may have removed it', 404)
export const InboxThresholdInvalid = createError<[what: string]>('APP_INBOX_THRESHOLD_INVALID', 'Invalid threshold: %s', 422)
export const InboxDeliveryNotFound = createError('APP_INBOX_DELIVERY_NOT_FOUND', 'This message was sent in the meantime, is no longer in the log, or its channel was removed; reload the page', 404)

// commands
export const InboxCommandInvalid = createError<[what: string, options?: ErrorOptions]>('APP_INBOX_COMMAND_INVALID', '%s', 500)
export const InboxExportExists = createError<[file: string]>('APP_INBOX_EXPORT_EXISTS', '%s exists: name another file, or continue it with --resume', 500)
export const InboxExportStopped = createError<[why: string]>('APP_INBOX_EXPORT_STOPPED', 'The export stopped: %s', 500)
export const InboxNotAnExport = createError<[file: string, why: string]>('APP_INBOX_NOT_AN_EXPORT', '%s cannot be read as an export: %s', 500)
export const InboxReplayBegun = createError<[state: string]>('APP_INBOX_REPLAY_BEGUN', 'A part was sent already: continue with --resume, or remove %s to send all again', 500)
export const InboxReplayIncomplete = createError<[what: string]>('APP_INBOX_REPLAY_INCOMPLETE', 'Not everything was sent: %s', 500)
export const InboxReplayStopped = createError<[why: string]>('APP_INBOX_REPLAY_STOPPED', 'The replay stopped: %s. Continue it with --resume', 500)
export const InboxNotResumable = createError<[file: string, why: string]>('APP_INBOX_NOT_RESUMABLE', '%s cannot be continued: %s', 500)
