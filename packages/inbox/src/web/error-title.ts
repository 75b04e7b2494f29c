import { clip, toVisibleText } from '@hull/common/visible-text.ts'
import type { EventDetail, ExceptionDetail } from '../store/model.ts'

/** Title of an error: `TypeError: cart is undefined`, or its type or message if it has only one of them. */
export const errorTitle = ({ type, value }: { type: string; value: string }): string =>
  type && value ? `${type}: ${value}` : type || value

/** The same without invisible and misleading characters, for a title or a link. */
export const shortTitle = (error: { type: string; value: string }, max = 100): string =>
  clip(toVisibleText(errorTitle(error)), max)

/** Returns the exception that says what happened: the reported one, or the only member of the reported group. */
export const mainException = (exceptions: readonly ExceptionDetail[]): ExceptionDetail | undefined =>
  exceptions.find(({ isOnlyMember }) => isOnlyMember) ?? exceptions.at(-1)

/** Title of an event, which may differ from that of its issue in numbers and names. */
export function eventTitle({ exceptions, message = '' }: EventDetail): string {
  const main = mainException(exceptions)
  return main ? errorTitle(main) : message
}

/** Message of an event beside what its exceptions say, such as the text that a program logged with an error. */
export const ownMessage = ({ message, exceptions }: EventDetail): string | undefined =>
  exceptions.some(({ value }) => value === message) ? undefined : message
