import type { EventDetail } from '../store/model.ts'

/** Identifies a user, as ingest does: the id, else the name, else the mail address. A search for it finds the user. */
export const nameOfUser = ({ id, name, email }: NonNullable<EventDetail['user']>): string | undefined =>
  id ?? name ?? email
