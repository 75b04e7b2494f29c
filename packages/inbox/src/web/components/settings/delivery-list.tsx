import { ButtonForm } from '../shared/controls.tsx'
import type { AlertDelivery } from '../../../alerts/types.ts'
import { Table, TimeCell } from '../shared/table.tsx'
import { Text } from '../shared/text.tsx'

const STATES = {
  waiting: ['Waiting', 'state'],
  retrying: ['Retrying', 'state state-warn'],
  sent: ['Sent', 'state state-good'],
  dead: ['Dead', 'state state-bad']
} as const

/** The delivery log: each message with its state, attempts and last error. */
export function DeliveryList({ rows, hasChannel = false }: { rows: AlertDelivery[]; hasChannel?: boolean }) {
  return (
    <Table columns={['Message', 'State', { label: 'Attempts', className: 'number' }, 'Created']}>
      {rows.map((row) => (
        <tr key={row.id}>
          <th scope="row">
            <Text max={120}>{row.title}</Text>
            {!hasChannel && (
              <span className="quiet">
                {' · '}
                <Text max={40}>{row.channelName ?? 'a removed channel'}</Text>
              </span>
            )}
            {row.error !== undefined && (
              <p className="quiet">
                <Text max={300}>{row.error}</Text>
              </p>
            )}
          </th>
          <td className="nowrap">
            <State row={row} />
          </td>
          <td className="number" data-label="Attempts">
            {row.attempts}
          </td>
          <TimeCell label="Created" at={row.created} />
        </tr>
      ))}
    </Table>
  )
}

function State({ row: { id, state, error, channelName } }: { row: AlertDelivery }) {
  const [label, className] = STATES[state === 'waiting' && error !== undefined ? 'retrying' : state]
  return (
    <>
      <span className={className}>{label}</span>
      {state === 'dead' && channelName !== undefined && (
        <ButtonForm fields={{ message: id }} intent="retry" label="Send again" />
      )}
    </>
  )
}
