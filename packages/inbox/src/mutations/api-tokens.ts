import type { Store } from '../store/store.ts'
import { recordAudit } from './audit.ts'
import { writeRow } from '../store/rows.ts'
import type { TokenScope } from '../queries/people-types.ts'
import type { Who } from './author.ts'

export function createToken(
  store: Store,
  { hash, name, scope, person, at }: { hash: string; name: string; scope: TokenScope; person: Who; at: number }
): void {
  writeRow(store, 'api_token', { hash, name, scope, person, created: at })
  recordAudit(store, 'token-created', { who: person, detail: name })
}

/** The token is refused from now on. */
export function revokeToken(store: Store, { id, by }: { id: number; by?: Who }): void {
  const found = store.get<{ name: string }>('SELECT name FROM api_token WHERE id = ? AND revoked IS NULL', id)
  if (!found) return
  store.write('UPDATE api_token SET revoked = ? WHERE id = ?', Date.now(), id)
  recordAudit(store, 'token-revoked', { who: by, detail: found.name })
}

export function touchToken(store: Store, { id, at }: { id: number; at: number }): void {
  store.write('UPDATE api_token SET last_used = ? WHERE id = ?', at, id)
}
