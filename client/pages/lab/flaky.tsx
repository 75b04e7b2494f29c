import type { Ctx, PageProps } from '@hull/shell/client'
import { LabPage } from '../../components/lab/lab-page.tsx'
import type { Attempt } from '../../../routes/lab/flaky.ts'

export const layout = 'lab'

export async function getData({ search, fetch }: Ctx) {
  const fail = Math.min(Math.max(Math.trunc(Number(search.get('fail') ?? 2)) || 0, 0), 20)
  const response = await fetch(`/lab-api/flaky?fail=${fail}&key=${crypto.randomUUID()}`)
  const { attempts } = (await response.json()) as { attempts: Attempt[] }
  return { fail, attempts }
}

export const getMeta = () => ({ title: 'Flaky · Lab', robots: 'noindex' })

export default function FlakyPage({ data: { fail, attempts } }: PageProps<typeof getData>) {
  return (
    <LabPage
      title="A flaky upstream"
      expect={`The upstream fails ${fail} ${fail === 1 ? 'time' : 'times'}. The server tries once and retries up to three times before this page is sent; with four failures you get the error page.`}
    >
      <div className="table-wrap">
        <table className="table lab-attempts">
          <caption>Attempts of this page’s one fetch</caption>
          <thead>
            <tr>
              <th scope="col" className="number">
                Attempt
              </th>
              <th scope="col">Answer</th>
              <th scope="col" className="number">
                After
              </th>
              <th scope="col" className="number">
                Waited
              </th>
            </tr>
          </thead>
          <tbody>
            {attempts.map((attempt, i) => (
              <AttemptRow
                key={attempt.number}
                attempt={attempt}
                waited={attempt.after - (attempts[i - 1]?.after ?? 0)}
              />
            ))}
          </tbody>
        </table>
      </div>
      <nav className="row" aria-label="Failures">
        {[0, 1, 2, 3, 4].map((n) => (
          <a key={n} href={`/lab/flaky?fail=${n}`} aria-current={n === fail ? 'page' : undefined}>{`fail ${n}`}</a>
        ))}
      </nav>
    </LabPage>
  )
}

function AttemptRow({ attempt: { number, status, after }, waited }: { attempt: Attempt; waited: number }) {
  return (
    <tr>
      <th scope="row" className="number">
        {number}
      </th>
      <td>
        <span className={`state ${status === 200 ? 'state-good' : 'state-bad'}`}>
          {status === 200 ? '200 OK' : '503 unavailable'}
        </span>
      </td>
      <td className="number">{`${after} ms`}</td>
      <td className="number">{`${waited} ms`}</td>
    </tr>
  )
}
