/** The person who makes a change, by id. */
export type Who = number

/** Person who makes a change, for the audit log. */
export interface Author {
  /** @default code of the application */
  by?: Who | undefined
}
