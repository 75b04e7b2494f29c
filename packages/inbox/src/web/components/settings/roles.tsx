import { SubmitButton } from '../shared/controls.tsx'
import type { Role } from '../../../store/model.ts'
import { Table } from '../shared/table.tsx'
import { Text } from '../shared/text.tsx'

export const ROLE_WORDS: Record<Role, string> = {
  none: 'No role',
  viewer: 'Viewer',
  member: 'Member',
  admin: 'Admin'
}

export const ROLES_EXPLAINED =
  'Viewers read. Members also resolve, ignore, merge and comment on issues, and create tokens. Admins also delete issues and view raw payloads. Admins of all projects also change people, projects, alerts and all other settings. Without a role in a project, its data does not exist for a person.'

const OPTIONS = Object.entries(ROLE_WORDS) as [Role, string][]

interface ProjectRole {
  id: number
  name: string
  /** Undefined: the role for all projects. */
  role: Role | undefined
}

interface RolesFormProps {
  role: Role
  projects: ProjectRole[]
  /** The sign-in service sets the role for all projects. */
  isExternal: boolean
}

/** Role of a person in all projects, and in each. */
export function RolesForm({ role, projects, isExternal }: RolesFormProps) {
  return (
    <form method="post" className="roles-form" data-keep-scroll>
      <Table columns={['Project', 'Role']} className="">
        <tr>
          <th scope="row">All projects</th>
          <td>
            {isExternal ? (
              `${ROLE_WORDS[role]}, set by the sign-in service at each sign-in`
            ) : (
              <select className="input input-choice" name="role" aria-label="Role in all projects" defaultValue={role}>
                <Roles />
              </select>
            )}
          </td>
        </tr>
        {projects.map(({ id, name, role }) => (
          <tr key={id}>
            <th scope="row">
              <Text max={60}>{name}</Text>
            </th>
            <td>
              <select
                className="input input-choice"
                name={`project-${id}`}
                aria-label={`Role in ${name}`}
                defaultValue={role ?? ''}
              >
                <option value="">As in all projects</option>
                <Roles />
              </select>
            </td>
          </tr>
        ))}
      </Table>
      <SubmitButton kind="main" intent="roles" label="Save roles" />
    </form>
  )
}

const Roles = () =>
  OPTIONS.map(([value, words]) => (
    <option key={value} value={value}>
      {words}
    </option>
  ))
