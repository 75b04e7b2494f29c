import { invalid, redirect, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { MergeView } from '../../components/issues/merge.tsx'
import { toView, withView } from '../../view.ts'
import { requireReader } from '../../../access/guard.ts'
import { toId } from '../../../to-id.ts'
import { tryChange } from '../../view-models/change-issue.ts'
import { findCandidates, readPicked } from '../../view-models/merge.ts'
import { setFlashMessage } from '../../view-models/flash-message.ts'
import '../../components/issues/issues.css'

export const layout = 'inbox'

export const guard = (ctx: Ctx) => requireReader(ctx, 'member')

export async function getData(ctx: Ctx) {
  const { search } = ctx
  const reader = await requireReader(ctx, 'member')
  const now = Date.now()
  const view = toView(search, now)
  const issues = await readPicked(reader, search)
  return { view, issues, ...(await findCandidates(reader, { issues, query: search.get('find'), now })) }
}

export const getMeta = () => ({ title: 'Merge issues · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx) {
  const { search, form } = ctx
  const reader = await requireReader(ctx, 'member')
  const into = toId(form.get('into'))
  const outcome = await tryChange(reader, form, reader.person.person)
  if (outcome.error !== undefined) return invalid<Record<'change', string>>({ change: outcome.error })
  if (!outcome.done) return invalid<Record<'change', string>>({ change: 'Choose which issue stays.' })
  const to = withView(`/inbox/issues/${into}`, toView(search, Date.now()))
  setFlashMessage(ctx, outcome.done, to)
  redirect(to)
}

export default function MergePage({ data, form }: PageProps<typeof getData, typeof action>) {
  return <MergeView {...data} error={form?.errors.change} />
}
