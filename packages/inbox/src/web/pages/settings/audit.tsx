import type { Ctx, PageProps } from '@hull/shell/client'
import { LinkButton } from '../../components/shared/controls.tsx'
import { requireAdmin } from '../../../access/guard.ts'
import { MAX_AUDIT_ENTRIES, type AuditRow } from '../../../queries/people-types.ts'
import { AUDIT_WORDS } from '../../audit-words.ts'
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

/** Author of an entry without a person. */
const NOBODY: Partial<typeof AUDIT_WORDS> = {
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
          <td data-label="Event">{AUDIT_WORDS[kind]}</td>
          <TextCell label="Concerns" text={person ?? '–'} />
          <TextCell label="Detail" text={detail ?? '–'} />
          <TimeCell label="Time" at={at} />
        </tr>
      ))}
    </Table>
  )
}
