/**
 * Makes the SDK capture an error again: for another request, or with the digest that is shown if the application has
 * captured it before. The SDK marks the object, and would ignore it.
 */
export function removeCapturedMark(error: unknown): void {
  if (error instanceof Error) Reflect.deleteProperty(error, '__sentry_captured__')
}
