import {
  ErrorSummary,
  Field,
  redirect,
  type FormState,
  type ActionCtx,
  type Ctx,
  type PageProps
} from '@hull/shell/client'
import { FieldForm, SubmitButton } from '../../components/shared/controls.tsx'
import { requireAdmin, requireReader } from '../../../access/guard.ts'
import { roleIn } from '../../../access/roles.ts'
import { Copyable } from '../../components/shared/copyable.tsx'
import { Section } from '../../components/shared/parts.tsx'
import { Text } from '../../components/shared/text.tsx'
import { TimeAgo } from '../../components/shared/time.tsx'
import { textOf } from '@hull/shell'
import { toPublicDsn } from '../../project-dsn.ts'
import { orInvalid } from '../../view-models/or-invalid.ts'

export const layout = 'inbox-settings'

export async function getData(ctx: Ctx) {
  const { server, origin } = ctx
  const { own } = server.inbox!
  const { isAlone } = server.inboxSetup
  const { person, queries } = await requireReader(ctx, 'admin')
  const projects = (await queries.listProjects()).filter(({ id }) => roleIn(person, id) === 'admin')
  return {
    isAlone,
    canCreate: person.role === 'admin',
    projects: projects.map((project) => ({
      id: project.id,
      name: project.name,
      created: project.created,
      dsn: toPublicDsn(origin + server.basePath, project),
      isOwn: project.id === own.id && !isAlone
    }))
  }
}

export const getMeta = () => ({ title: 'Projects · Settings · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx) {
  const { form, server } = ctx
  const { person: by } = await requireAdmin(ctx)
  const created = await orInvalid(
    server.inbox!.changes.createProject({ name: textOf(form, 'name'), by }),
    'APP_INBOX_PROJECT_INVALID',
    'name'
  )
  if ('kind' in created) return created
  redirect(`/inbox/settings/projects/${created.id}`)
}

export default function ProjectsPage({
  data: { projects, canCreate, isAlone },
  form
}: PageProps<typeof getData, typeof action>) {
  return (
    <>
      <Section id="projects" title="Projects">
        <p className="lead">
          {!isAlone && 'This application reports without setup. '}
          {isAlone ? 'Services' : 'Other services'} report with any Sentry SDK: create a project and give its DSN to the
          SDK.
        </p>
        <ul className="entries">
          {projects.map(({ id, name, dsn, created, isOwn }) => (
            <li key={id}>
              <p>
                <a href={`/inbox/settings/projects/${id}`}>
                  <Text max={60}>{name}</Text>
                </a>
                <span className="quiet">
                  {isOwn ? ' · this application' : ' · created '}
                  {!isOwn && <TimeAgo at={created} />}
                </span>
              </p>
              <Copyable text={dsn} label={`DSN of ${name}`} />
            </li>
          ))}
        </ul>
      </Section>
      {canCreate && <NewProject form={form} />}
    </>
  )
}

function NewProject({ form }: { form?: FormState }) {
  return (
    <Section id="new-project" title="New project">
      <ErrorSummary form={form} title="Your change was not applied" />
      <FieldForm submit={<SubmitButton kind="main" label="Create project" />}>
        <Field
          name="name"
          label="Name"
          hint="Such as the name of the service that reports."
          form={form}
          autoComplete="off"
          maxLength={80}
        />
      </FieldForm>
    </Section>
  )
}
