import { foldName } from '../access/person-name.ts'
import type { Role } from './model.ts'
import type { Store } from './store.ts'

/** SQL of a person's roles in single projects, as JSON. */
export const PROJECT_ROLES = `(SELECT json_group_object(project, person_project.role) FROM person_project
  WHERE person_project.person = person.id) AS projects`

export interface PersonOfName {
  id: number
  name: string
  role: Role
  /** Hash of the password. */
  password: string | null
  /** Issuer and subject at the sign-in service. */
  subject: string | null
}

/** The person with a name that looks the same. */
export function findByName(store: Store, name: string): PersonOfName | undefined {
  const people = store.all<PersonOfName>('SELECT id, name, role, password, subject FROM person WHERE removed IS NULL')
  return people.find((person) => foldName(person.name) === foldName(name))
}
