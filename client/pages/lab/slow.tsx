import { setTimeout as wait } from 'node:timers/promises'
import type { Ctx, PageProps } from '@hull/shell/client'
import { LabPage } from '../../components/lab/lab-page.tsx'

export const layout = 'lab'

const MAX_WAIT = 15_000

export async function getData({ search, signal }: Ctx) {
  const ms = Math.min(Math.max(Number(search.get('ms') ?? 2_000) || 0, 0), MAX_WAIT)
  await wait(ms, undefined, { signal })
  return { ms }
}

export const getMeta = () => ({ title: 'Slow · Lab', robots: 'noindex' })

export default function SlowPage({ data: { ms } }: PageProps<typeof getData>) {
  return (
    <LabPage
      title="Slow"
      expect={`The data took ${ms} ms. Leave while it is loading, and the server stops waiting too.`}
    >
      <nav className="row" aria-label="Waiting times">
        {[0, 500, 2_000, 5_000, 15_000].map((n) => (
          <a key={n} href={`/lab/slow?ms=${n}`} aria-current={n === ms ? 'page' : undefined}>{`${n} ms`}</a>
        ))}
      </nav>
    </LabPage>
  )
}
