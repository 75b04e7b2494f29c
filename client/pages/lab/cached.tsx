import { notFound, useNavigation, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { DescriptionList } from '../../components/description-list.tsx'
import { LabFrame } from '../../components/lab/lab-frame.tsx'
import { LabPage } from '../../components/lab/lab-page.tsx'
import { countRender } from '../../../routes/lab/renders.ts'

export const cache = { maxAge: 5, staleWhileRevalidate: 30, tags: ['lab'] }

// Uses no layout: the lab's layout has a guard, and guarded pages cannot be cached for all visitors.
export function getData({ server }: Ctx) {
  if (!server.hull.config.lab) notFound()
  return { renderedAt: new Date().toISOString(), render: countRender() }
}

export async function action({ server }: ActionCtx) {
  if (!server.hull.config.lab) notFound()
  await server.pageCache.invalidate({ tags: ['lab'] })
}

export const getMeta = () => ({ title: 'Cached · Lab', robots: 'noindex' })

export default function CachedPage({ data: { renderedAt, render } }: PageProps<typeof getData, typeof action>) {
  const isSending = useNavigation().state === 'submitting'
  return (
    <LabFrame>
      <LabPage
        title="Cached"
        expect="Reload within 5 s and nothing changes. Later, up to 35 s, you get this one once more while the next is rendered; after that you wait for a new one. Invalidate it, and you get a new one at once."
      >
        <DescriptionList
          items={[
            { term: 'Rendered at', value: <time dateTime={renderedAt}>{`${renderedAt.slice(11, 23)} UTC`}</time> },
            { term: 'Render', value: render, title: 'since the process started' }
          ]}
        />
        <form method="post" action="/lab/cached">
          <p className="buttons">
            <a className="button" href="/lab/cached">
              Open it again
            </a>
            <button type="submit" className="button">
              {isSending ? 'Invalidating …' : 'Invalidate it'}
            </button>
          </p>
        </form>
      </LabPage>
    </LabFrame>
  )
}
