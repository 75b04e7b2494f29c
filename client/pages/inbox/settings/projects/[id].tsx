import { notFound, redirect, type ActionCtx, type Ctx, type PageProps } from '#shell'
import { Crumbs } from '../../../../components/crumbs.tsx'
import { Confirm } from '../../../../components/inbox/confirm.tsx'
import { Copyable } from '../../../../components/inbox/copyable.tsx'
import { Section } from '../../../../components/inbox/parts.tsx'
import { RenameForm } from '../../../../components/inbox/rename-form.tsx'
import { Text } from '../../../../components/inbox/text.tsx'
import { textOf } from '../../../../../lib/http/form.ts'
import { orInvalidName, toPublicDsn } from '../../../../../lib/inbox/project-words.ts'

export const layout = 'inbox-settings'

type Address = '/inbox/settings/projects/[id]'

export async function getData({ server, params, origin }: Ctx<Address>) {
  const { queries, own } = server.inbox!
  const project = (await queries.listProjects()).find(({ id }) => String(id) === params.id)
  if (!project) notFound('There is no such project: somebody may have removed it.')
  const { id, name } = project
  return { id, name, dsn: toPublicDsn(origin, project), isOwn: id === own.id }
}

export const getMeta = () => ({ title: 'Project · Settings · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx<Address>) {
  const { form, server } = ctx
  const { id } = await getData(ctx)
  const { changes } = server.inbox!
  const intent = form.get('intent')
  if (intent === 'rename') {
    return orInvalidName(changes.renameProject({ id, name: textOf(form, 'name') }))
  }
  if (intent === 'renew') {
    await changes.renewKey({ id })
  } else if (intent === 'remove') {
    await changes.removeProject({ id })
    redirect('/inbox/settings')
  }
}

export default function ProjectPage({ data, form }: PageProps<typeof getData, typeof action>) {
  const { name, dsn, isOwn } = data
  return (
    <>
      <Crumbs
        steps={[
          { href: '/inbox/settings', label: 'Projects' },
          { href: '', label: name }
        ]}
      />
      <Section id="project" title={name}>
        <dl className="pairs">
          <dt>DSN</dt>
          <dd>
            <Copyable text={dsn} label="the DSN" />
          </dd>
        </dl>
        <p className="lead">
          {isOwn
            ? 'This application reports by itself and needs no DSN. The one above is for what belongs to it and runs elsewhere.'
            : 'Whoever has the DSN can report to this project, and read nothing.'}
        </p>
        <RenameForm name={name} form={form} maxLength={80} />
      </Section>
      <Section id="ends" title="What cannot be taken back">
        <div className="confirms">
          <Confirm label="Renew the key" does="Renew the key now" intent="renew">
            The DSN above is refused at once, and a new one takes its place. Whatever reports with the old one has to be
            given the new one.
          </Confirm>
          {!isOwn && (
            <Confirm label="Remove the project" does="Remove it now" intent="remove">
              Nothing more is taken from <Text max={60}>{name}</Text>. What came so far stays until it is older than the
              retention.
            </Confirm>
          )}
        </div>
      </Section>
    </>
  )
}
