import { Suspense, use, type ReactNode } from 'react'
import type { Ctx, PageProps } from '@hull/shell/client'
import { LabPage } from '../../components/lab/lab-page.tsx'
import { loadReviews, loadStock, type Review, type Turn } from '../../../routes/lab/late.ts'

export const layout = 'lab'

export const streaming = true

export function getData({ search, signal }: Ctx) {
  const turn = (['fail', 'redirect', 'missing'] as const).find((name) => search.has(name)) ?? ('arrive' satisfies Turn)
  return { title: 'Bow shackle 8 mm', reviews: loadReviews(turn, signal), stock: loadStock(turn, signal) }
}

export const getMeta = () => ({ title: 'Stream · Lab', robots: 'noindex' })

export default function StreamPage({ data: { title, reviews, stock } }: PageProps<typeof getData>) {
  return (
    <LabPage
      title={title}
      expect="This much was sent at once. Reviews follow after 0.3 s, stock after 0.9 s, each in its place and without a second request."
    >
      <Part id="reviews" title="Reviews">
        <Reviews reviews={reviews} />
      </Part>
      <Part id="stock" title="Stock">
        <Stock stock={stock} />
      </Part>
    </LabPage>
  )
}

function Part({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section className="lab-part" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Suspense fallback={<p className="quiet">On the way …</p>}>{children}</Suspense>
    </section>
  )
}

function Reviews({ reviews }: { reviews: Promise<Review[]> }) {
  return (
    <ul className="lab-reviews">
      {use(reviews).map(({ by, text }) => (
        <li key={by}>
          <b>{by}</b> {text}
        </li>
      ))}
    </ul>
  )
}

function Stock({ stock }: { stock: ReturnType<typeof loadStock> }) {
  const { pieces, harbour } = use(stock)
  return <p>{`${pieces} pieces in ${harbour}.`}</p>
}
