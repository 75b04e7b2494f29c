/** @hull/inbox: stores and shows errors, traces and vitals. */
export {
  hasOwnSecret,
  INBOX_SETTINGS,
  toInboxPagesOptions,
  toInboxSettings,
  type InboxOidcOptions
} from './settings.ts'
export type { Person } from './access/access.ts'
export type { GroupRoles } from './access/group-roles.ts'
export { requireAdmin, requirePerson } from './access/guard.ts'
export type { Role } from './store/model.ts'
export { INBOX_PATH } from './addresses.ts'
export { toReceiver } from './receiver.ts'
export { default as inbox, type InboxOptions, type InboxSample } from './plugins/inbox.ts'
export { default as inboxPages, type InboxPagesOptions } from './inbox-pages.ts'
