interface TypeRowProps {
  kind: string
  value: unknown
  /** The value as text. */
  shown: string
  /** Whether value and identity are those of the server. */
  held: boolean
}

export function TypeRow({ kind, value, shown, held }: TypeRowProps) {
  return (
    <tr>
      <th scope="row">{kind}</th>
      <td>
        <code>{value === undefined ? 'undefined' : Object(value).constructor.name}</code>
      </td>
      <td>{shown}</td>
      <td>
        <span className={`state ${held ? 'state-good' : 'state-bad'}`}>{held ? 'yes' : 'no'}</span>
      </td>
    </tr>
  )
}
