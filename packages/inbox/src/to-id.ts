/**
 * Parses the number of a row in an address or a form. PostgreSQL refuses a number that is no integer with an error.
 * @returns 0, which no row has, for any other value
 */
export const toId = (text: unknown): number =>
  typeof text === 'string' && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0
