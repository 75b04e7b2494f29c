import { notFound, redirect, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { requireAdmin, requirePerson, requireProjectAdmin, requireReader } from '../../../../access/guard.ts'
import { InboxProjectInvalid } from '../../../../errors.ts'
import { Confirm, DangerZone } from '../../../components/shared/confirm.tsx'
import { Copyable } from '../../../components/shared/copyable.tsx'
import { Crumbs, Pair, Section } from '../../../components/shared/parts.tsx'
import { RenameForm } from '../../../components/settings/rename-form.tsx'
import { RepositoryForm } from '../../../components/settings/repository-form.tsx'
import { Text } from '../../../components/shared/text.tsx'
import { textOf } from '@hull/shell'
import { setSavedMessage } from '../../../view-models/flash-message.ts'
import { orInvalid } from '../../../view-models/or-invalid.ts'
import type { Repository, RepositoryHost } from '../../../repository.ts'
import { toCheckInAddress, toPublicDsn } from '../../../project-dsn.ts'

export const layout = 'inbox-settings'

type Address = '/inbox/settings/projects/[id]'

export async function getData(ctx: Ctx<Address>) {
  const { server, params, origin } = ctx
  const { own } = server.inbox!
  const { queries } = await requireReader(ctx, 'admin')
  const project = (await queries.listProjects()).find(({ id }) => String(id) === params.id)
  if (!project) notFound('This project does not exist. It may have been removed.')
  const { id, name } = project
  const { person } = await requireProjectAdmin(ctx, id)
  const repository = await queries.getRepository({ project: id })
  return {
    id,
    name,
    dsn: toPublicDsn(origin + server.basePath, project),
    checkIn: toCheckInAddress(origin + server.basePath, project),
    canRemove: id !== own.id && person.role === 'admin',
    isOwn: id === own.id && !server.inboxSetup.isAlone,
    hasFixedKey: id === own.id && server.inbox!.hasFixedKey,
    repository
  }
}

export const getMeta = () => ({ title: 'Project · Settings · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx<Address>) {
  const { form, server } = ctx
  const { id, hasFixedKey } = await getData(ctx)
  const { person: by } = await requirePerson(ctx)
  const { changes } = server.inbox!
  const intent = form.get('intent')
  if (intent === 'rename') {
    const refused = await orInvalid(
      changes.renameProject({ id, name: textOf(form, 'name'), by }),
      'APP_INBOX_PROJECT_INVALID',
      'name'
    )
    if (refused) return refused
    setSavedMessage(ctx, 'name')
  } else if (intent === 'repository') {
    const refused = await orInvalid(
      changes.setRepository({ id, repository: readRepository(form), by }),
      'APP_INBOX_REPOSITORY_INVALID',
      'url'
    )
    if (refused) return refused
    setSavedMessage(ctx, 'repository')
  } else if (intent === 'renew') {
    if (hasFixedKey) throw new InboxProjectInvalid('INBOX_KEY has its key; change the setting')
    await changes.renewKey({ id, by })
    setSavedMessage(ctx, 'key')
  } else if (intent === 'remove') {
    await requireAdmin(ctx)
    await changes.removeProject({ id, by })
    redirect('/inbox/settings')
  }
}

/** The posted repository; undefined for an empty address, which removes it. */
function readRepository(form: FormData): Repository | undefined {
  const url = textOf(form, 'url').trim()
  if (url === '') return undefined
  return { host: textOf(form, 'host') as RepositoryHost, url, folder: textOf(form, 'folder') }
}

export default function ProjectPage({ data, form }: PageProps<typeof getData, typeof action>) {
  const { name, dsn, checkIn, isOwn, hasFixedKey, canRemove, repository } = data
  return (
    <>
      <Crumbs above={[{ href: '/inbox/settings', label: 'Projects' }]} here={name} />
      <Section id="project" title={name}>
        <dl className="pairs">
          <Pair name="DSN">
            <Copyable text={dsn} label="DSN" />
          </Pair>
          <Pair name="Check-in of a job">
            <Copyable text={checkIn} label="Address for check-ins" />
          </Pair>
        </dl>
        <p className="lead">
          {isOwn
            ? 'This application reports without a DSN. Use the DSN above for parts of it that run elsewhere.'
            : 'Anyone who has the DSN can send events to this project. It gives no access to read.'}
        </p>
        <RenameForm name={name} form={form?.errors.url ? undefined : form} maxLength={80} />
      </Section>
      <Section id="repository" title="Repository">
        <RepositoryForm repository={repository} form={form} isOwn={isOwn} />
      </Section>
      <DangerZone>
        {hasFixedKey ? (
          <p>
            To rotate the key, change the setting <code>INBOX_KEY</code>.
          </p>
        ) : (
          <Confirm label="Rotate key" intent="renew">
            The DSN and the address above stop working immediately and are replaced by new ones. Services and jobs that
            use the old ones need the new ones.
          </Confirm>
        )}
        {canRemove && (
          <Confirm label="Remove project" intent="remove">
            <Text max={60}>{name}</Text> accepts no more events. Events that are already stored stay until the retention
            period ends.
          </Confirm>
        )}
      </DangerZone>
    </>
  )
}
