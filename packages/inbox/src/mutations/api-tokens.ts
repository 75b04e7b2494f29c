import type { Store } from '../store/store.ts'
import type { Changes } from './types.ts'

type Input<Name extends keyof Changes> = Parameters<Changes[Name]>[0]

export function createToken(store: Store, { hash, name, scope, person, at }: Input<'createToken'>): void {
  store.run(
    'INSERT INTO api_token (hash, name, scope, person, created) VALUES (?, ?, ?, ?, ?)',
    hash,
    name,
    scope,
    person,
    at
  )
}

export function revokeToken(store: Store, { id }: Input<'revokeToken'>): void {
  store.run('UPDATE api_token SET revoked = ? WHERE id = ? AND revoked IS NULL', Date.now(), id)
}

export function touchToken(store: Store, { id, at }: Input<'touchToken'>): void {
  store.run('UPDATE api_token SET last_used = ? WHERE id = ?', at, id)
}
