import { Field, forbidden, invalid, redirect, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { textOf } from '@hull/shell'
import { requireReader } from '../../../access/guard.ts'
import { roleIn } from '../../../access/roles.ts'
import { InboxProjectNotFound, InboxSearchNotFound } from '../../../errors.ts'
import type { SavedSearch } from '../../../queries/issues/saved-searches.ts'
import { ShareChoice } from '../../components/issues/saved-searches.tsx'
import { Confirm } from '../../components/shared/confirm.tsx'
import { FieldForm, SubmitButton } from '../../components/shared/controls.tsx'
import { Hidden } from '../../components/shared/hidden-fields.tsx'
import { Crumbs, Empty, ErrorNotice, PageHead } from '../../components/shared/parts.tsx'
import { Table, TextCell } from '../../components/shared/table.tsx'
import { Text } from '../../components/shared/text.tsx'
import { toId } from '../../../to-id.ts'
import { toSavedHref, toSavingHref } from '../../saved-search-hrefs.ts'
import { toView, withView, type InboxView } from '../../view.ts'
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

/** Saves a search, and renames and removes the saved ones. */
export default function SavedSearchesPage({ data, form }: PageProps<typeof getData, typeof action>) {
  const { searches, sharing, view, draft } = data
  return (
    <article className="part">
      <Crumbs above={[{ href: withView('/inbox/issues', view), label: 'Issues' }]} here="Saved searches" />
      <PageHead title="Saved searches" />
      {form?.errors['name'] && !draft && <ErrorNotice>{form.errors['name']}</ErrorNotice>}
      {draft && (
        <FieldForm
          action={toSavingHref(draft)}
          submit={<SubmitButton kind="main" intent="save" label="Save this search" />}
        >
          <p>
            Search: <code>{draft.query === '' ? 'all issues' : <Text max={200}>{draft.query}</Text>}</code>
          </p>
          <Field name="name" label="Name" form={form} maxLength={60} autoComplete="off" />
          <ShareChoice sharing={sharing} form={form} />
        </FieldForm>
      )}
      {searches.length === 0 ? (
        <Empty title="No saved searches">
          <p>
            Search the <a href={withView('/inbox/issues', view)}>list of issues</a>, then save the search in the menu
            beside it.
          </p>
        </Empty>
      ) : (
        <SavedSearchTable searches={searches} view={view} />
      )}
    </article>
  )
}

function SavedSearchTable({ searches, view }: Pick<PageProps<typeof getData>['data'], 'searches' | 'view'>) {
  return (
    <Table columns={['Name', 'Search', 'Project', 'Visible to', 'Actions']}>
      {searches.map((one) => (
        <tr key={one.id}>
          <th scope="row">
            <SearchLink search={one} view={view} />
          </th>
          <td data-label="Search">
            <code>{one.query === '' ? 'all issues' : <Text max={120}>{one.query}</Text>}</code>
          </td>
          <TextCell label="Project" text={one.projectName ?? 'All projects'} />
          <td data-label="Visible to">{one.person === undefined ? 'Everybody' : 'You'}</td>
          <td>{one.canChange && <SearchActions search={one} />}</td>
        </tr>
      ))}
    </Table>
  )
}

function SearchLink({ search, view }: { search: SavedSearch; view: InboxView }) {
  return (
    <a href={toSavedHref(search, view)}>
      <Text max={60}>{search.name}</Text>
    </a>
  )
}

function SearchActions({ search: { id, name, person } }: { search: SavedSearch }) {
  return (
    <div className="row">
      <details className="confirm">
        <summary className="button">Rename</summary>
        <form method="post" className="confirm-body">
          <Hidden fields={{ id }} />
          <input
            className="input"
            name="name"
            aria-label="New name"
            defaultValue={name}
            maxLength={60}
            autoComplete="off"
            required
          />
          <SubmitButton intent="rename" label="Rename now" />
        </form>
      </details>
      <Confirm label="Remove" intent="remove" fields={{ id }}>
        {person === undefined ? 'The search is removed for everybody.' : 'The search is removed.'}
      </Confirm>
    </div>
  )
}
