import type { EventDetail } from '../store/model.ts'

/** Title of an error: `TypeError: cart is undefined`, or its type or message if it has only one of them. */
export const errorTitle = ({ type, value }: { type: string; value: string }): string =>
  type && value ? `${type}: ${value}` : type || value

/** Message of an event beside what its exceptions say, such as the text that a program logged with an error. */
export const ownMessage = ({ message, exceptions }: EventDetail): string | undefined =>
  exceptions.some(({ value }) => value === message) ? undefined : message
