import { formatBytes } from '@hull/common/format-bytes.ts'
import type { Ctx, PageProps } from '@hull/shell/client'
import { requireAdmin } from '../../../access/guard.ts'
import { Count } from '../../components/shared/count.tsx'
import { formatShare } from '../../components/shared/format.ts'
import { Pair, Section } from '../../components/shared/parts.tsx'
import { Time, TimeAgo } from '../../components/shared/time.tsx'

export const layout = 'inbox-settings'

export const guard = (ctx: Ctx) => requireAdmin(ctx)

export async function getData({ server }: Ctx) {
  const { storage, retention } = await server.inbox!.queries.getHealth({})
  const { folder, isShared } = server.inboxSetup
  return { storage, retention, folder, isShared }
}

export const getMeta = () => ({ title: 'Storage · Settings · Inbox', robots: 'noindex' })

export default function StoragePage({ data: { storage, retention, folder, isShared } }: PageProps<typeof getData>) {
  const { bytes, maxBytes, retentionDays, oldest, events, spans } = storage
  const share = maxBytes === 0 ? 0 : bytes / maxBytes
  return (
    <>
      <Section id="used" title="Storage">
        {isShared ? (
          <p className="lead">{formatBytes(bytes)} in the database, which all replicas share.</p>
        ) : (
          <p className="storage">
            <meter min={0} max={1} high={0.9} optimum={0} value={share} aria-labelledby="share" />
            <span id="share">
              {formatBytes(bytes)} of {formatBytes(maxBytes)}, {formatShare(share)}
            </span>
          </p>
        )}
        <dl className="pairs">
          <Pair name="Events">
            <Count of={events} />
          </Pair>
          <Pair name="Spans">
            <Count of={spans} />
          </Pair>
          <Pair name="Oldest event">{oldest === undefined ? 'none yet' : <Time at={oldest} />}</Pair>
          <Pair name={isShared ? 'Spool folder' : 'Folder'}>
            <code>{folder}</code>
          </Pair>
        </dl>
      </Section>
      <Section id="retention" title="Retention">
        <p className="lead">
          Data older than {retentionDays} {retentionDays === 1 ? 'day' : 'days'} is deleted.{' '}
          {!isShared && 'When the storage is full, the oldest data is deleted first. '}An open issue is deleted with its
          last event, any other issue a year later.
        </p>
        <dl className="pairs">
          <Pair name="Last run">
            {retention === undefined ? (
              'none yet'
            ) : (
              <>
                <TimeAgo at={retention.at} />, <Count of={retention.rows} /> {retention.rows === 1 ? 'row' : 'rows'}{' '}
                removed
                {retention.behind && <span className="state state-warn"> still removing</span>}
              </>
            )}
          </Pair>
          <Pair name="Settings">
            <code>INBOX_RETENTION_DAYS</code>
            {!isShared && (
              <>
                {' '}
                and <code>INBOX_MAX_BYTES</code>
              </>
            )}{' '}
            in the environment of the server
          </Pair>
        </dl>
      </Section>
    </>
  )
}
