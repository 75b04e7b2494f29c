import type { Ctx, PageProps } from '@hull/shell/client'
import { LinkButton } from '../../components/shared/controls.tsx'
import { requireAdmin } from '../../../access/guard.ts'
import { MAX_AUDIT_ENTRIES, type AuditRow } from '../../../queries/people-types.ts'
import { Empty, Section } from '../../components/shared/parts.tsx'
import { Table, TextCell, TimeCell } from '../../components/shared/table.tsx'
import { Text } from '../../components/shared/text.tsx'

export const layout = 'inbox-settings'

export const guard = (ctx: Ctx) => requireAdmin(ctx)

export async function getData({ server, search }: Ctx) {
  const before = /^\d{1,15}$/.test(search.get('before') ?? '') ? Number(search.get('before')) : undefined
  const entries = await server.inbox!.queries.listAudit({ before })
  return { entries, isFirst: before === undefined }
}

export const getMeta = () => ({ title: 'Audit log · Settings · Inbox', robots: 'noindex' })

/** Sentence about an entry, without its person. */
const WORDS: Record<AuditRow['kind'], string> = {
  'signed-in': 'signed in',
  'sessions-ended': 'ended sessions',
  renamed: 'changed their own name',
  'password-set': 'set their own password',
  'role-changed': 'changed the role',
  removed: 'removed the person',
  invited: 'created an invitation',
  'invitation-revoked': 'revoked an invitation',
  'token-created': 'created a token',
  'token-revoked': 'revoked a token',
  'project-created': 'created a project',
  'project-renamed': 'renamed a project',
  'project-key-rotated': 'rotated the key of a project',
  'project-removed': 'removed a project',
  'repository-set': 'changed the repository of a project',
  'issues-deleted': 'deleted issues',
  'monitor-deleted': 'deleted a monitor',
  'release-declared': 'created or changed a release',
  'release-deployed': 'recorded a deploy',
  'maps-uploaded': 'uploaded source maps',
  'search-shared': 'shared a saved search',
  'search-renamed': 'renamed a shared search',
  'search-removed': 'removed a shared search',
  'channel-created': 'created an alert channel',
  'channel-changed': 'changed an alert channel',
  'channel-secret-rotated': 'rotated the secret of an alert channel',
  'channel-unsubscribed': 'unsubscribed from an alert channel',
  'channel-resumed': 'resumed an alert channel',
  'channel-removed': 'removed an alert channel',
  'rule-created': 'created an alert rule',
  'rule-removed': 'removed an alert rule',
  'threshold-created': 'created an alert threshold',
  'threshold-changed': 'changed an alert threshold',
  'threshold-enabled': 'switched an alert threshold on',
  'threshold-disabled': 'switched an alert threshold off',
  'threshold-removed': 'removed an alert threshold'
}

/** Author of an entry without a person. */
const NOBODY: Partial<typeof WORDS> = {
  'channel-unsubscribed': 'Link in a mail',
  'role-changed': 'Sign-in service'
}

export default function AuditPage({ data: { entries, isFirst } }: PageProps<typeof getData>) {
  const last = entries.at(-1)
  return (
    <Section id="audit" title="Audit log">
      <p className="lead">
        Sign-ins, changes to people, projects, alerts and all other settings, deleted issues, and uploads of build
        tools, newest first. Each issue lists its other changes itself. Entries are kept for 400 days.
      </p>
      {entries.length > 0 ? <Entries entries={entries} /> : <Empty title="No entries" />}
      <p className="row">
        {!isFirst && <LinkButton href="/inbox/settings/audit" label="Newest" />}
        {last && entries.length === MAX_AUDIT_ENTRIES && (
          <LinkButton href={`/inbox/settings/audit?before=${last.id}`} rel="next" label="Older" />
        )}
      </p>
    </Section>
  )
}

function Entries({ entries }: { entries: AuditRow[] }) {
  return (
    <Table columns={['Who', 'Event', 'Concerns', 'Detail', 'Time']}>
      {entries.map(({ id, at, kind, who, person, detail }) => (
        <tr key={id}>
          <th scope="row">
            <Text max={60}>{who ?? NOBODY[kind] ?? 'This application'}</Text>
          </th>
          <td data-label="Event">{WORDS[kind]}</td>
          <TextCell label="Concerns" text={person ?? '–'} />
          <TextCell label="Detail" text={detail ?? '–'} />
          <TimeCell label="Time" at={at} />
        </tr>
      ))}
    </Table>
  )
}
