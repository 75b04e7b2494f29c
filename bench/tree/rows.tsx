import type { Row } from './data.ts'

export const rowsTitle = 'All rows'

export function Rows({ rows }: { rows: Row[] }) {
  return (
    <main className="rows">
      <h1>{rowsTitle}</h1>
      <table>
        <thead>
          <tr>
            <th>Number</th>
            <th>Name</th>
            <th>Owner</th>
            <th>Changed</th>
            <th>Size</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>{row.id}</td>
              <td>{row.name}</td>
              <td>{row.owner}</td>
              <td>{row.changed}</td>
              <td className="number">{row.size}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </main>
  )
}
