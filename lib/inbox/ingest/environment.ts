import { toEnvironment } from '../releases.ts'
import type { IngestContext } from './context.ts'
import { knownName } from './known-names.ts'

/** The environment that an item names; '' where it names none. */
export function environmentOf(value: unknown, { store, project, receivedAt }: IngestContext): string {
  const name = typeof value === 'string' ? toEnvironment(value) : ''
  return name === '' ? '' : knownName(store, project, 'environment', name, receivedAt)
}
