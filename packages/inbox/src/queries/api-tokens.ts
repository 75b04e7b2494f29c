import { PROJECT_ROLES } from '../store/people.ts'
import type { Store } from '../store/store.ts'
import { toPlain } from './plain-row.ts'
import type { FoundToken, TokenRow } from './people-types.ts'

/** Tokens that are not revoked, of people who were not removed. Newest first. */
export function listTokens(store: Store): TokenRow[] {
  return store
    .all(
      `SELECT api_token.id, hash, api_token.name, scope, person.name AS person, person.id AS personId, api_token.created,
         api_token.last_used AS lastUsed
       FROM api_token JOIN person ON person.id = api_token.person
       WHERE revoked IS NULL AND removed IS NULL ORDER BY api_token.id DESC`
    )
    .map(toPlain<TokenRow>)
}

/** Undefined if it is unknown or revoked, or its person was removed. */
export function findToken(store: Store, { hash }: { hash: string }): FoundToken | undefined {
  const found = store.get(
    `SELECT api_token.id, api_token.name, scope, person, role, ${PROJECT_ROLES}, api_token.last_used AS lastUsed
     FROM api_token JOIN person ON person.id = api_token.person
     WHERE hash = ? AND revoked IS NULL AND removed IS NULL`,
    hash
  )
  return found && { ...toPlain<FoundToken>(found), projects: JSON.parse(found.projects as string) }
}
