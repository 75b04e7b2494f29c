/** Error whose message a person reads in the delivery log. */
export class AlertFailed extends Error {
  override name = 'AlertFailed'
  /** Milliseconds that the target asks to wait. */
  readonly retryAfter: number | undefined

  constructor(message: string, { retryAfter, ...options }: ErrorOptions & { retryAfter?: number } = {}) {
    super(message, options)
    this.retryAfter = retryAfter
  }
}
