import { toPersonName } from './access/person-name.ts'
import type { Project } from './model.ts'

/** A project's name as it is kept; undefined where nothing is left to be read, or it is too long. The rules are those of people's names. */
export const toProjectName = toPersonName

/** What an SDK elsewhere is given to report to a project here. @param origin by which it reaches us */
export function toPublicDsn(origin: string, { id, key }: Pick<Project, 'id' | 'key'>): string {
  const { protocol, host } = new URL(origin)
  return `${protocol}//${key}@${host}/${id}`
}
