import { ErrorSummary, invalid, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { ButtonForm, SubmitButton } from '../../../components/shared/controls.tsx'
import type { PersonRow } from '../../../../queries/people-types.ts'
import { isRole } from '../../../../access/roles.ts'
import { Choice } from '../../../components/settings/choice.tsx'
import { Confirm } from '../../../components/shared/confirm.tsx'
import { Section } from '../../../components/shared/parts.tsx'
import { ROLE_WORDS, ROLES_EXPLAINED } from '../../../components/settings/roles.tsx'
import { SecretList } from '../../../components/settings/secret-list.tsx'
import { Table } from '../../../components/shared/table.tsx'
import { Text } from '../../../components/shared/text.tsx'
import { TimeAgo } from '../../../components/shared/time.tsx'
import { requireAdmin } from '../../../../access/guard.ts'
import { toInvitationUrl } from '../../../../addresses.ts'
import { textOf } from '@hull/shell'

export const layout = 'inbox-settings'

export async function getData(ctx: Ctx) {
  const { server, origin } = ctx
  const { queries } = server.inbox!
  const me = await requireAdmin(ctx)
  const [projects, people, invitations] = await Promise.all([
    queries.listProjects(),
    server.inboxAccess.listPeople(),
    queries.listInvitations()
  ])
  const tokens = server.inboxAccess.freshTokens(ctx, me)
  return {
    me: me.person,
    way: server.inboxAccess.way,
    projects: projects.map(({ id, name }) => ({ id, name })),
    people,
    invitations: invitations.map((invitation) => {
      const token = tokens.get(invitation.hash)
      return { ...invitation, link: token === undefined ? undefined : toInvitationUrl(origin + server.basePath, token) }
    })
  }
}

export const getMeta = () => ({ title: 'People · Settings · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx) {
  const { form, server } = ctx
  const me = await requireAdmin(ctx)
  const { changes } = server.inbox!
  const intent = form.get('intent')
  if (intent === 'invite') {
    const role = textOf(form, 'role')
    if (!isRole(role) || role === 'none') return invalid({ role: 'Choose a role for the invitation.' })
    const { projects } = await getData(ctx)
    const named = textOf(form, 'project')
    const project = projects.find(({ id }) => String(id) === named)
    if (named !== '' && !project) return invalid({ role: 'This project was removed. Choose another one.' })
    await server.inboxAccess.invite(ctx, me, { role, ...(project && { project: project.id }) })
  } else if (intent === 'revoke') {
    await changes.revokeInvitation({ hash: textOf(form, 'hash'), by: me.person })
  } else if (intent === 'sign-out-everybody') {
    await changes.closePersonSessions({ except: me.hash, by: me.person })
  }
}

/** Role of a person in a table. */
const toRoleWords = ({ role, projects, isExternal }: PersonRow) =>
  [
    ROLE_WORDS[role],
    ...(Object.keys(projects).length > 0 ? ['others in single projects'] : []),
    ...(isExternal ? ['sign-in service'] : [])
  ].join(' · ')

const INVITED_ROLES = [
  ['viewer', 'a viewer'],
  ['member', 'a member'],
  ['admin', 'an admin']
] as const

export default function PeoplePage({ data, form }: PageProps<typeof getData, typeof action>) {
  const { me, way, projects, people, invitations } = data
  const nameOf = (project: number) => projects.find(({ id }) => id === project)?.name ?? 'a removed project'
  return (
    <>
      <Section id="people" title="People">
        <Table columns={['Name', 'Role', 'Last seen', { label: 'Sessions', className: 'number' }]}>
          {people.map((person) => {
            const { id, name, lastSeen, sessions } = person
            return (
              <tr key={id}>
                <th scope="row">
                  <a href={id === me ? '/inbox/account' : `/inbox/settings/people/${id}`}>
                    <Text>{name}</Text>
                  </a>
                  {id === me && <span className="quiet"> · you</span>}
                </th>
                <td>{toRoleWords(person)}</td>
                <td className="nowrap" data-label="Last seen">
                  {lastSeen === undefined ? 'never' : <TimeAgo at={lastSeen} />}
                </td>
                <td className="number" data-label="Sessions">
                  {sessions}
                </td>
              </tr>
            )
          })}
        </Table>
        <p className="lead">{ROLES_EXPLAINED}</p>
      </Section>
      <Section id="invitations" title="Invitations">
        <SecretList
          noun="link"
          entries={invitations.map(({ hash, role, project, person, madeBy, created, link }) => ({
            id: hash,
            title: (
              <Text max={100}>
                {person ?? `${ROLE_WORDS[role]}${project === undefined ? '' : ` of ${nameOf(project)}`}`}
              </Text>
            ),
            created,
            by: madeBy,
            secret: link,
            action: <ButtonForm fields={{ hash }} intent="revoke" label="Revoke" />
          }))}
        />
        <p className="lead">
          An invitation is a link that signs in one person within seven days. Only its hash is stored: the link itself
          is shown to you for ten minutes, so copy it. The person can choose a password.
        </p>
        <ErrorSummary form={form} title="Your change was not applied" />
        <form method="post" className="row">
          <Choice name="role" label="For" options={INVITED_ROLES} />
          <Choice
            name="project"
            label="of"
            options={[['', 'all projects'], ...projects.map(({ id, name }) => [id, name] as const)]}
          />
          <SubmitButton kind="main" intent="invite" label="Create link" />
        </form>
      </Section>
      <Section id="everybody" title="All sessions">
        {way === 'password' && (
          <p className="lead">
            Anyone who knows <code>INBOX_PASSWORD</code> can sign in as an admin, even after they were removed. When
            somebody who knows it leaves, set a new password, restart the server, and sign out everyone.
          </p>
        )}
        <Confirm label="Sign out everyone" intent="sign-out-everybody">
          Everyone except this session has to sign in again. People without a password need a new link, which you create
          on the page of the person.
        </Confirm>
      </Section>
    </>
  )
}
