import first from './001-first.ts'
import delivery from './002-delivery.ts'
import passwordFingerprint from './003-password-fingerprint.ts'
import alerts from './004-alerts.ts'
import apiTokens from './005-api-tokens.ts'
import monitors from './006-monitors.ts'
import logs from './007-logs.ts'
import repository from './008-repository.ts'
import people from './009-people.ts'
import projectRoles from './010-project-roles.ts'
import feedbackList from './011-feedback-list.ts'
import attachments from './012-attachments.ts'
import savedSearches from './013-saved-searches.ts'
import uploads from './014-uploads.ts'
import itemTypes from './015-item-types.ts'
import monitorAlerts from './016-monitor-alerts.ts'
import alertThresholds from './017-alert-thresholds.ts'
import assignee from './018-assignee.ts'
import followers from './019-followers.ts'
import groupRoles from './020-group-roles.ts'
import mailCodes from './021-mail-codes.ts'
import visitorsOnce from './022-visitors-once.ts'
import alertConditions from './023-alert-conditions.ts'
import repositoryFolder from './023-repository-folder.ts'
import alertLevel from './024-alert-level.ts'

/**
 * The migration at index n takes the store from schema n to n + 1. Never edit or reorder one.
 *
 * On PostgreSQL, replicas of the version before use the tables until the last of them is upgraded: a migration adds
 * what their statements can ignore, such as columns with a default. A later one removes what no version needs any more.
 */
export const MIGRATIONS: readonly string[] = [
  first,
  delivery,
  passwordFingerprint,
  alerts,
  apiTokens,
  monitors,
  logs,
  repository,
  people,
  projectRoles,
  feedbackList,
  attachments,
  savedSearches,
  uploads,
  itemTypes,
  monitorAlerts,
  alertThresholds,
  assignee,
  followers,
  groupRoles,
  mailCodes,
  visitorsOnce,
  alertConditions + repositoryFolder,
  alertLevel
]
