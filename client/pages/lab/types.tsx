import type { PageProps } from '@hull/shell/client'
import { LabPage } from '../../components/lab/lab-page.tsx'
import { TypeRow } from '../../components/lab/type-row.tsx'
import { createEverything } from '../../../routes/lab/everything.ts'

export const layout = 'lab'

export const getData = () => createEverything()

export const getMeta = () => ({ title: 'Types · Lab', robots: 'noindex' })

export default function TypesPage({ data }: PageProps<typeof getData>) {
  const { date, map, set, bigint, absent, cycle, twins, text } = data
  return (
    <LabPage
      title="Types"
      expect="Every row arrives in the browser as the server made it: the same constructor, the same value, the same identity."
    >
      <div className="table-wrap">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col">Constructor</th>
              <th scope="col">Value</th>
              <th scope="col">Held</th>
            </tr>
          </thead>
          <tbody>
            <TypeRow
              kind="Date"
              value={date}
              shown={date.toISOString()}
              held={date instanceof Date && date.getTime() === 1772282096789}
            />
            <TypeRow
              kind="Map"
              value={map}
              shown={[...map].map(([key, value]) => `${key} → ${value}`).join(', ')}
              held={map instanceof Map && map.get('starboard') === 2}
            />
            <TypeRow kind="Set" value={set} shown={[...set].join(', ')} held={set instanceof Set && set.has('green')} />
            <TypeRow kind="BigInt" value={bigint} shown={String(bigint)} held={bigint === 1208925819614629174706176n} />
            <TypeRow
              kind="undefined"
              value={absent}
              shown={'absent' in data ? 'a key with nothing in it' : 'the key is gone'}
              held={'absent' in data && absent === undefined}
            />
            <TypeRow kind="cycle" value={cycle} shown={cycle.name} held={cycle.self === cycle} />
            <TypeRow kind="repeated" value={twins[0]} shown={twins[0].name} held={twins[0] === twins[1]} />
            <TypeRow kind="text" value={text} shown={text} held={text.startsWith('</script><!--')} />
          </tbody>
        </table>
      </div>
    </LabPage>
  )
}
