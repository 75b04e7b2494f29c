import type { Row } from '../store/store.ts'

/** Copies the row as a plain object and leaves out null values. */
export const toPlain = <T>(row: Row): T =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as T
