import { foldName } from '../access/person-name.ts'
import type { Role } from './model.ts'
import type { Store } from './store.ts'

/**
 * SQL of a person's roles in single projects, as JSON. A role in a project that was removed gives nothing any more, but
 * `none` still hides its data.
 */
export const PROJECT_ROLES = `(SELECT json_group_object(project, person_project.role) FROM person_project
  WHERE person_project.person = person.id AND (person_project.role = 'none'
    OR project IN (SELECT id FROM project WHERE removed IS NULL))) AS projects`

export interface PersonOfName {
  id: number
  name: string
  role: Role
  /** Hash of the password. */
  password: string | null
  /** Issuer and subject at the sign-in service. */
  subject: string | null
}

/** SQL that is true if a person of the table `person` has a role in a project. @param project SQL of its id */
export const reads = (project: string) =>
  `coalesce((SELECT p.role FROM person_project p WHERE p.person = person.id AND p.project = ${project}), person.role) <> 'none'`

export const readsProject = (store: Store, person: number, project: number): boolean =>
  store.get(`SELECT 1 FROM person WHERE id = ? AND removed IS NULL AND ${reads('?')}`, person, project) !== undefined

/** Asks for the people who have a role in one of the projects, by name. */
export const askReaders = (store: Store, projects: readonly number[]): (() => { id: number; name: string }[]) =>
  store.ask(
    `SELECT id, name FROM person
     WHERE removed IS NULL AND EXISTS (SELECT 1 FROM json_each(?) AS wanted WHERE ${reads('CAST(wanted.value AS BIGINT)')})
     ORDER BY lower(name), id`,
    JSON.stringify(projects)
  )

/** The person with a name that looks the same. */
export function findByName(store: Store, name: string): PersonOfName | undefined {
  const people = store.all<PersonOfName>('SELECT id, name, role, password, subject FROM person WHERE removed IS NULL')
  return people.find((person) => foldName(person.name) === foldName(name))
}
