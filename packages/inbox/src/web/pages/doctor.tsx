import type { Ctx, PageProps } from '@hull/shell/client'
import { requireOverview } from '../../access/guard.ts'
import { diagnose } from '../../doctor/diagnose.ts'
import { toView } from '../view.ts'
import type { Finding, Verdict } from '../../doctor/finding.ts'
import { countOf } from '../components/shared/format.ts'
import { CountCell, Table, TimeCell } from '../components/shared/table.tsx'
import { Text } from '../components/shared/text.tsx'
import { TimeAgo } from '../components/shared/time.tsx'
import '../components/doctor.css'

export const layout = 'inbox'

/** The checks are about all projects together. */
export const guard = (ctx: Ctx) => requireOverview(ctx)

export async function getData({ server, search, log }: Ctx) {
  const now = Date.now()
  const { project } = toView(search, now)
  const inbox = server.inbox!
  // If the store cannot be queried, that is a failed check of its own.
  const health = await inbox.queries.getHealth({ project }).catch((err: unknown) => {
    log.warn({ err }, 'the health of the inbox could not be read')
    return undefined
  })
  const refused = server.inboxRefusals.list(now)
  const projects = health && refused.length > 0 ? await inbox.queries.listProjects() : []
  const tunnel = server.tunnel?.stats()
  const { hasOwnSecret, isShared, isAlone } = server.inboxSetup
  return {
    findings: diagnose({
      now,
      inbox: inbox.stats(),
      refusals: refused.map((refusal) => ({
        ...refusal,
        projectName: projects.find(({ id }) => id === refusal.project)?.name
      })),
      hasOwnSecret,
      isShared,
      isAlone,
      ...(health && { health }),
      ...(tunnel && { tunnel })
    })
  }
}

export const getMeta = () => ({ title: 'Doctor · Inbox', robots: 'noindex' })

const WORDS: Record<Verdict, string> = {
  good: 'Good',
  look: 'Needs attention',
  bad: 'Broken',
  quiet: 'No action needed'
}

/** Failed checks come first. */
const ORDER: Record<Verdict, number> = { bad: 0, look: 1, good: 2, quiet: 2 }

/** Shows whether every part works, and how to fix those that do not. */
export default function DoctorPage({ data: { findings } }: PageProps<typeof getData>) {
  const count = (verdict: Verdict) => findings.filter((finding) => finding.verdict === verdict).length
  const [bad, look] = [count('bad'), count('look')]
  return (
    <>
      <header className="page-head findings-head">
        <h1>Doctor</h1>
        <p className={`state ${bad > 0 ? 'state-bad' : look > 0 ? 'state-warn' : 'state-good'}`}>
          {bad > 0
            ? `${countOf(bad, 'check')} failed`
            : look > 0
              ? countOf(look, 'check needs attention', 'checks need attention')
              : 'All checks passed'}
        </p>
      </header>
      <ul className="findings">
        {findings
          .toSorted((a, b) => ORDER[a.verdict] - ORDER[b.verdict])
          .map((finding) => (
            <FindingItem key={finding.id} finding={finding} />
          ))}
      </ul>
    </>
  )
}

function FindingItem({ finding: { id, check, verdict, says, at, todo, sample, drops, types } }: { finding: Finding }) {
  return (
    <li className={`finding finding-${verdict}`} id={id}>
      <svg className="finding-sign" width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
        {SIGNS[verdict]}
      </svg>
      <div className="finding-body">
        <h2>
          {check}
          <span className="visually-hidden">{`: ${WORDS[verdict]}`}</span>
        </h2>
        <p>
          {says}
          {at !== undefined && (
            <>
              {' '}
              <TimeAgo at={at} />.
            </>
          )}
        </p>
        {sample !== undefined && (
          <p>
            <code>
              <Text max={300}>{sample}</Text>
            </code>
          </p>
        )}
        {todo !== undefined && <p className="finding-todo">{todo}</p>}
        {drops !== undefined && <Drops drops={drops} />}
        {types !== undefined && <Types types={types} />}
      </div>
    </li>
  )
}

function Drops({ drops }: { drops: NonNullable<Finding['drops']> }) {
  return (
    <Table
      columns={[{ label: 'Count', className: 'number' }, 'What', 'Reason']}
      caption="Dropped items and reasons"
      className="finding-drops"
    >
      {drops.map(({ what, why, quantity, isHarmless }) => (
        <tr key={`${what} ${why}`} className={isHarmless ? 'quiet' : undefined}>
          <CountCell of={quantity} />
          <td>
            <Text max={100}>{what}</Text>
          </td>
          <td>
            <Text max={200}>{why}</Text>
            {isHarmless && <span className="quiet"> (intended)</span>}
          </td>
        </tr>
      ))}
    </Table>
  )
}

function Types({ types }: { types: NonNullable<Finding['types']> }) {
  return (
    <Table
      columns={[
        'Type',
        'Shown',
        { label: 'Stored', className: 'number' },
        { label: 'Dropped', className: 'number' },
        'Last received'
      ]}
      caption="Types of items"
      className="table-stacked finding-drops"
    >
      {types.map(({ type, stored, dropped, last, shown }) => (
        <tr key={type}>
          <th scope="row">
            <Text max={100}>{type}</Text>
          </th>
          <td>{shown}</td>
          <CountCell label="Stored" of={stored} />
          <CountCell label="Dropped" of={dropped} />
          <TimeCell label="Last received" at={last} />
        </tr>
      ))}
    </Table>
  )
}

/** Icons of verdicts. Each has its own shape, with a word for screen readers. */
const SIGNS = {
  good: <path d="m4 10.5 4 4 8-9" fill="none" stroke="currentColor" strokeWidth="2" />,
  look: <path d="M10 2.5 18.5 17h-17Zm0 5.5v4m0 1.6v1.6" fill="none" stroke="currentColor" strokeWidth="1.75" />,
  bad: <path d="m5 5 10 10m0-10L5 15" fill="none" stroke="currentColor" strokeWidth="2.25" />,
  quiet: <circle cx="10" cy="10" r="2.5" fill="currentColor" />
} as const
