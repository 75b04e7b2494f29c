const SECONDS = /^\d+$/
/** IMF-fixdate, and the obsolete rfc850-date; RFC 9110 §5.6.7 requires that both are accepted. */
const GMT_DATE = /^[A-Z][a-z]{2,8}, \d\d[ -][A-Z][a-z]{2}[ -](\d{4}|\d\d) \d\d:\d\d:\d\d GMT$/
/** asctime-date, the third format, which is in GMT without naming it. */
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/

/**
 * Milliseconds to wait according to a `Retry-After` header; 0 for a date in the past, undefined for an invalid value.
 * The patterns are checked first, because Date.parse accepts almost anything as a date.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function parseRetryAfter(value: string | null | undefined, now = Date.now()): number | undefined {
  const text = value?.trim() ?? ''
  if (SECONDS.test(text)) return Number(text) * 1000
  const time = GMT_DATE.test(text) ? Date.parse(text) : ASCTIME_DATE.test(text) ? Date.parse(`${text} GMT`) : NaN
  return Number.isNaN(time) ? undefined : Math.max(0, time - now)
}
