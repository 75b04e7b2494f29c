import { forbidden, invalid, redirect, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { textOf } from '@hull/shell'
import { requireReader } from '../../../access/guard.ts'
import { roleIn } from '../../../access/roles.ts'
import { InboxProjectNotFound, InboxSearchNotFound } from '../../../errors.ts'
import { SavedSearchesView } from '../../components/issues/saved-searches.tsx'
import { toId } from '../../../to-id.ts'
import { toSavedHref } from '../../saved-search-hrefs.ts'
import { toView, withView } from '../../view.ts'
import { toSentence } from '../../view-models/change-issue.ts'
import { toQuery, toSort } from '../../view-models/list-params.ts'
import { canChange, sharingOf } from '../../view-models/saved-search.ts'

export const layout = 'inbox'

export async function getData(ctx: Ctx) {
  const { server, search } = ctx
  const { person, queries } = await requireReader(ctx)
  const view = toView(search, Date.now())
  const [searches, projects] = await Promise.all([
    queries.listSavedSearches({ person: person.person }),
    queries.listProjects()
  ])
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  return {
    view,
    sharing: sharingOf(person, server.inboxAccess.way, view.project),
    searches: searches.map((one) => ({
      ...one,
      canChange: canChange(person, one),
      projectName: one.project === undefined ? undefined : names.get(one.project)
    })),
    draft: search.has('q') ? readDraft(search) : undefined
  }
}

const readDraft = (search: URLSearchParams) => ({
  query: toQuery(search.get('q')),
  sort: toSort(search.get('sort')),
  view: toView(search, Date.now())
})

export const getMeta = () => ({ title: 'Saved searches · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx) {
  const { search, form, server } = ctx
  const { person, queries } = await requireReader(ctx)
  const { changes } = server.inbox!
  const view = toView(search, Date.now())
  const who = person.person
  const name = textOf(form, 'name')
  const intent = form.get('intent')
  let to = withView('/inbox/issues/searches', view)
  try {
    if (intent === 'save') {
      const { query, sort } = readDraft(search)
      const { project } = view
      const sharing = sharingOf(person, server.inboxAccess.way, project)
      const isShared = sharing === 'all' || (sharing === 'choice' && form.get('share') === 'on')
      if (project !== undefined && roleIn(person, project) === 'none') throw new InboxProjectNotFound()
      const id = await changes.saveSearch({ name, query, sort, project, isShared, who })
      to = toSavedHref({ id, name, query, sort }, view)
    } else {
      const id = toId(form.get('id'))
      const found = (await queries.listSavedSearches({ person: who })).find((one) => one.id === id)
      if (!found) throw new InboxSearchNotFound()
      if (!canChange(person, found)) forbidden('Only members and admins can change shared searches.')
      if (intent === 'rename') await changes.renameSearch({ id, name, who })
      if (intent === 'remove') await changes.removeSearch({ id, who })
    }
  } catch (error) {
    return invalid({ name: toSentence(error) })
  }
  redirect(to)
}

export default function SavedSearchesPage({ data, form }: PageProps<typeof getData, typeof action>) {
  return <SavedSearchesView {...data} form={form} />
}
