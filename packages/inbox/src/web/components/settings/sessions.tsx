import { ButtonForm } from '../shared/controls.tsx'
import type { PersonSessionRow } from '../../../queries/people-types.ts'
import { Table, TimeCell } from '../shared/table.tsx'

/** A person's sessions; each can be ended. @param own hash of the viewer's own session */
export function Sessions({ sessions, own }: { sessions: PersonSessionRow[]; own?: string }) {
  if (sessions.length === 0) return <p className="quiet">No active sessions.</p>
  return (
    <Table columns={['Browser', 'Since', 'Last seen', { label: 'Sign out', isHidden: true }]}>
      {sessions.map(({ hash, client, created, lastSeen }) => (
        <tr key={hash}>
          <th scope="row">
            {client ?? 'Unknown browser'}
            {hash === own && <span className="quiet"> · this session</span>}
          </th>
          <TimeCell label="Since" at={created} />
          <TimeCell label="Last seen" at={lastSeen} />
          <td className="number">
            <ButtonForm fields={{ hash }} intent="close" label="Sign out" />
          </td>
        </tr>
      ))}
    </Table>
  )
}
