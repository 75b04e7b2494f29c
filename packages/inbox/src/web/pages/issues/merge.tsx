import { invalid, redirect, type ActionCtx, type Ctx, type PageProps } from '#shell'
import { MergeView } from '../../../components/inbox/merge.tsx'
import { toView, withView } from '../../../../lib/common/inbox-view.ts'
import { requireAdmin } from '../../../../lib/inbox/access/guard.ts'
import { makeChange } from '../../../../lib/inbox/screens/change.ts'
import { toSentence } from '../../../../lib/inbox/screens/change-issue.ts'
import { findCandidates, readPicked } from '../../../../lib/inbox/screens/merge.ts'
import { leaveNotice } from '../../../../lib/inbox/screens/notice.ts'
import '../../../components/inbox/issues.css'

export const layout = 'inbox'

export const guard = (ctx: Ctx) => requireAdmin(ctx)

export async function getData({ server, search }: Ctx) {
  const now = Date.now()
  const view = toView(search, now)
  const issues = await readPicked(server.inbox!, search)
  return { view, issues, ...(await findCandidates(server.inbox!, { issues, query: search.get('find'), now })) }
}

export const getMeta = () => ({ title: 'Merge issues · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx) {
  const { server, search, form } = ctx
  const { person } = await requireAdmin(ctx)
  const into = Number(form.get('into'))
  const outcome = await makeChange(server.inbox!, form, person).then(
    (done) => ({ done }),
    (error: unknown) => ({ error: toSentence(error) })
  )
  if ('error' in outcome) return invalid<Record<'change', string>>({ change: outcome.error })
  if (!outcome.done) return invalid<Record<'change', string>>({ change: 'Choose which issue stays.' })
  const to = withView(`/inbox/issues/${into}`, toView(search, Date.now()))
  leaveNotice(ctx, outcome.done, to)
  redirect(to)
}

export default function MergePage({ data, form }: PageProps<typeof getData, typeof action>) {
  return <MergeView {...data} error={form?.errors.change} />
}
