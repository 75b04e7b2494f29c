/** Title of an error: `TypeError: cart is undefined`, or its type or message if it has only one of them. */
export const errorTitle = ({ type, value }: { type: string; value: string }): string =>
  type && value ? `${type}: ${value}` : type || value
