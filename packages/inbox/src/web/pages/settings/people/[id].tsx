import { invalid, notFound, redirect, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { ButtonForm } from '../../../components/shared/controls.tsx'
import { isRole } from '../../../../access/roles.ts'
import type { Role } from '../../../../store/model.ts'
import { Confirm, DangerZone } from '../../../components/shared/confirm.tsx'
import { Crumbs, ErrorNotice, Section } from '../../../components/shared/parts.tsx'
import { ROLES_EXPLAINED, RolesForm } from '../../../components/settings/roles.tsx'
import { Sessions } from '../../../components/settings/sessions.tsx'
import { Text } from '../../../components/shared/text.tsx'
import { orInvalid } from '../../../view-models/or-invalid.ts'
import { setSavedMessage } from '../../../view-models/flash-message.ts'
import { requireAdmin } from '../../../../access/guard.ts'
import { textOf } from '@hull/shell'

export const layout = 'inbox-settings'

type Address = '/inbox/settings/people/[id]'

export async function getData(ctx: Ctx<Address>) {
  const { inbox, inboxAccess } = ctx.server
  const me = await requireAdmin(ctx)
  const all = await inbox!.queries.listProjects()
  const person = (await inboxAccess.listPeople()).find(({ id }) => String(id) === ctx.params.id)
  if (!person) notFound('This person does not exist. They may have been removed.')
  const { id, name, role, projects, isExternal } = person
  const sessions = await inboxAccess.listSessions(id)
  return {
    id,
    name,
    role,
    projects: all.map((project) => ({ id: project.id, name: project.name, role: projects[project.id] })),
    isExternal,
    sessions,
    me: me.person,
    own: me.person === id ? me.hash : undefined
  }
}

export const getMeta = () => ({ title: 'Person · Settings · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx<Address>) {
  const { form, server } = ctx
  const { id, role, projects, isExternal, sessions, me } = await getData(ctx)
  const { changes } = server.inbox!
  const intent = form.get('intent')
  if (intent === 'roles') {
    const given = readRoles(form, isExternal, projects)
    if (given === undefined) return invalid({ role: 'Choose a role.' })
    const refused = await orInvalid(changes.setRoles({ id, ...given, by: me }), 'APP_INBOX_LAST_ADMIN', 'role')
    if (refused) return refused
    setSavedMessage(ctx, 'roles')
  } else if (intent === 'remove') {
    const refused = await orInvalid(changes.removePerson({ id, by: me }), 'APP_INBOX_LAST_ADMIN', 'role')
    if (refused) return refused
    redirect('/inbox/settings/people')
  } else if (intent === 'sign-out') {
    await changes.closePersonSessions({ person: id, by: me })
  } else if (intent === 'close') {
    const hash = textOf(form, 'hash')
    if (sessions.some((session) => session.hash === hash)) await changes.closePersonSession({ hash, by: me })
  } else if (intent === 'let-in' && !isExternal) {
    await server.inboxAccess.invite(ctx, await requireAdmin(ctx), { role, person: id })
    redirect('/inbox/settings/people#invitations')
  }
}

/** The chosen roles; a project without a field keeps its role. Undefined for an unknown role. */
function readRoles(form: FormData, isExternal: boolean, shown: { id: number }[]) {
  const role = isExternal ? undefined : textOf(form, 'role')
  const projects: Record<string, Role | undefined> = {}
  for (const { id } of shown) {
    const given = form.get(`project-${id}`)
    if (given === null) continue
    if (given !== '' && !isRole(given)) return undefined
    projects[id] = given === '' ? undefined : given
  }
  return role === undefined || isRole(role) ? { role, projects } : undefined
}

export default function PersonPage({ data, form }: PageProps<typeof getData, typeof action>) {
  const { name, role, projects, isExternal, sessions, own } = data
  return (
    <>
      <Crumbs above={[{ href: '/inbox/settings/people', label: 'People' }]} here={name} />
      {form?.errors.role && <ErrorNotice>{form.errors.role}</ErrorNotice>}
      <Section id="role" title={name}>
        <RolesForm role={role} projects={projects} isExternal={isExternal} />
        <p className="lead">{ROLES_EXPLAINED}</p>
        {!isExternal && <ButtonForm intent="let-in" label="Create sign-in link" />}
      </Section>
      <Section id="sessions" title="Sessions">
        <Sessions sessions={sessions} own={own} />
        {sessions.length > 1 && <ButtonForm intent="sign-out" label="Sign out everywhere" />}
      </Section>
      <DangerZone>
        <Confirm label="Remove" intent="remove">
          <Text max={60}>{name}</Text> is signed out everywhere immediately, and their invitations are revoked. Their
          past changes stay in the activity under their name.
        </Confirm>
      </DangerZone>
    </>
  )
}
