import type { IngestContext } from './context.ts'
import { textOf } from './fields.ts'
import { knownName } from './known-names.ts'

/** Characters, as Sentry's protocol has it. */
const MAX_LENGTH = 64

/** The environment that an item names; '' where it names none. */
export function environmentOf(value: unknown, { store, project, receivedAt }: IngestContext): string {
  const name = textOf(value, MAX_LENGTH)
  return name === undefined ? '' : knownName(store, project, 'environment', name, receivedAt)
}
