import type { Project } from '../store/model.ts'

/** DSN for SDKs of other services that report to a project here. @param base URL of this server, with its base path */
export function toPublicDsn(base: string, { id, key }: Pick<Project, 'id' | 'key'>): string {
  const { protocol, host, pathname } = new URL(base)
  return `${protocol}//${key}@${host}${pathname.replace(/\/$/, '')}/${id}`
}

/** Address at which the job `my-job` checks in without an SDK. @param base as for {@link toPublicDsn} */
export const toCheckInAddress = (base: string, { id, key }: Pick<Project, 'id' | 'key'>): string =>
  `${base.replace(/\/$/, '')}/api/${id}/cron/my-job/${key}/?status=ok`
