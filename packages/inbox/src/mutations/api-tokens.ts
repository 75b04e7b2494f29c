import type { Store } from '../store/store.ts'
import { recordAudit } from './audit.ts'
import { writeRow } from '../store/rows.ts'
import type { Input } from './types.ts'

export function createToken(store: Store, { hash, name, scope, person, at }: Input<'createToken'>): void {
  writeRow(store, 'api_token', { hash, name, scope, person, created: at })
  recordAudit(store, 'token-created', { who: person, detail: name })
}

export function revokeToken(store: Store, { id, by }: Input<'revokeToken'>): void {
  const found = store.get<{ name: string }>('SELECT name FROM api_token WHERE id = ? AND revoked IS NULL', id)
  if (!found) return
  store.write('UPDATE api_token SET revoked = ? WHERE id = ?', Date.now(), id)
  recordAudit(store, 'token-revoked', { who: by, detail: found.name })
}

export function touchToken(store: Store, { id, at }: Input<'touchToken'>): void {
  store.write('UPDATE api_token SET last_used = ? WHERE id = ?', at, id)
}
