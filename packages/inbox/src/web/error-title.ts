/** The title of an error: `TypeError: cart is undefined`; of an error without a type, or a message, what it says. */
export const errorTitle = ({ type, value }: { type: string; value: string }): string =>
  type && value ? `${type}: ${value}` : type || value
