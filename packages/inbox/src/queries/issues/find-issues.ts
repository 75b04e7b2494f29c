import type { IssueState } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import type { Place } from '../cursor.ts'
import { countEvents } from './issue-events.ts'
import type { Selection } from './selection.ts'
import { allOnce, and, isAmong, or, sql, toList, type Sql } from '../sql.ts'
import type { IssueSort } from './issue-types.ts'

/**
 * Maximum number of issues that are read from a filter's index and then sorted. Larger results are read in list order
 * instead. Measured: 2 ms.
 */
const FEW = 1_000

const COLUMNS = { last: 'last_seen', first: 'first_seen', visitors: 'visitors' } as const

/** Issue id with its sort value. */
export interface FoundIssue {
  id: number
  value: number
}

export interface FindOptions {
  sort: IssueSort
  /** Position to start from. */
  place?: Place | undefined
  limit: number
}

/**
 * Ids of the matching issues, in list order, or from a place backwards. Takes the cheaper of two ways: sort the ids
 * that the most selective filter lists, or walk the index of the list order and test each issue against the filters.
 */
export function findIssues(store: Store, selection: Selection, options: FindOptions): FoundIssue[] {
  const listed = findShortest(store, selection, options.sort)
  return listed ? sortListed(store, selection, options, listed) : walk(store, selection, options)
}

/** The filter with the fewest issues, if they are few enough to sort. */
function findShortest(
  store: Store,
  { criteria, projects, states, since }: Selection,
  sort: IssueSort
): Sql | undefined {
  const lists = criteria.flatMap(({ ids }) => ids ?? [])
  if (sort !== 'last' && since > 0)
    lists.push(
      sql(
        `SELECT id FROM issue INDEXED BY issue_by_last WHERE ${isAmong('project')}
           AND state IN (SELECT value FROM json_each(?)) AND last_seen >= ?`,
        toList(projects),
        toList([...states.keys()]),
        since
      )
    )
  let shortest: { list: Sql; size: number } | undefined
  for (const list of lists) {
    const most = shortest?.size ?? FEW + 1
    const [row] = allOnce<{ size: number }>(
      store,
      sql(
        `SELECT count(*) AS size FROM (SELECT 1 FROM (${list.text}) AS listed LIMIT ?) AS found`,
        ...list.values,
        most
      )
    )
    if (row!.size < most) shortest = { list, size: row!.size }
  }
  return shortest?.list
}

/** Selects by id. The unary plus signs keep SQLite from using another index. */
function sortListed(store: Store, selection: Selection, options: FindOptions, list: Sql): FoundIssue[] {
  const { projects, states } = selection
  const inState = [...states].map(([state, also]) => andAlso(sql('i.state = ?', state), also))
  const where = [
    sql('i.id IN (' + list.text + ')', ...list.values),
    sql(isAmong('+i.project'), toList(projects)),
    ...(inState.length === 0 ? [sql('FALSE')] : [or(...inState)]),
    ...conditionsOf(selection, options)
  ]
  return allOnce<FoundIssue>(store, toStatement('issue i', where, selection, options))
}

/** Walks the index of each project and state, then merges the lists. */
function walk(store: Store, selection: Selection, options: FindOptions): FoundIssue[] {
  const { projects, states } = selection
  const asked = projects.flatMap((project) =>
    [...states].map(([state, also]) => askOne(store, project, state, also, selection, options))
  )
  const found = asked.flatMap((rows) => rows())
  const sign = options.place?.isBefore ? 1 : -1
  return found.sort((a, b) => sign * (a.value - b.value || a.id - b.id)).slice(0, options.limit)
}

function askOne(
  store: Store,
  project: number,
  state: IssueState,
  also: Sql | undefined,
  selection: Selection,
  options: FindOptions
): () => FoundIssue[] {
  const where = [
    sql('i.project = ?', project),
    andAlso(sql('i.state = ?', state), also),
    ...conditionsOf(selection, options)
  ]
  // No index has the events of a range, so they are counted for each issue seen since the range began.
  const index = options.sort === 'events' ? 'last' : options.sort
  const statement = toStatement(`issue i INDEXED BY issue_by_${index}`, where, selection, options)
  // Without filters there are few different statements, so they are cached.
  const isPlain = selection.criteria.length === 0 && also === undefined
  if (isPlain) return store.ask<FoundIssue>(statement.text, ...statement.values)
  return () => allOnce<FoundIssue>(store, statement)
}

function conditionsOf(selection: Selection, { sort, place }: FindOptions): Sql[] {
  const { since, criteria } = selection
  const { text, values } = columnOf(sort, selection)
  return [
    sql('i.last_seen >= ?', since),
    ...(place ? [sql(`(${text}, i.id) ${place.isBefore ? '>' : '<'} (?, ?)`, ...values, place.value, place.id)] : []),
    ...criteria.map(({ holds }) => holds)
  ]
}

/** Column that the list is sorted by. */
const columnOf = (sort: IssueSort, { scope }: Selection): Sql =>
  sort === 'events' ? countEvents(scope, 'i.id') : sql(`i.${COLUMNS[sort]}`)

function toStatement(from: string, where: Sql[], selection: Selection, { sort, place, limit }: FindOptions): Sql {
  const column = columnOf(sort, selection)
  const direction = place?.isBefore ? 'ASC' : 'DESC'
  const { text, values } = and(...where)
  // Names the column itself, so that SQLite uses its index.
  const order = sort === 'events' ? 'value' : column.text
  return sql(
    `SELECT i.id, ${column.text} AS value FROM ${from} WHERE ${text}
     ORDER BY ${order} ${direction}, i.id ${direction} LIMIT ?`,
    ...column.values,
    ...values,
    limit
  )
}

const andAlso = (one: Sql, also: Sql | undefined): Sql => (also ? and(one, also) : one)
