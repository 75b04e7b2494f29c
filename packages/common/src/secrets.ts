/** Replaces omitted text, as in Sentry's own filters. */
export const FILTERED = '[Filtered]'

/**
 * Names of query parameters, headers, cookies and fields whose values are secret or personal. `ssn` is also in
 * `className` and `processNode`, `card` in `discarded`, and `phone` in `microphone`.
 */
const SECRET_NAME =
  /auth(?!or(?!i[sz]))|bearer|cookie|credential|csrf|xsrf|jwt|passw|passcode|passphrase|pwd|secret|session|^sid$|signature|^sig$|token|api[-_]?key|access[-_]?key|private[-_]?key|^key$|^code$|^otp$|^pin$|e-?mail|(?<!micro|head)phone|^ip$|ip[-_]?addr|forwarded|real[-_]?ip|client[-_]?ip|(?<!dis|wild|score)card(?!inal)|cvc|cvv|iban|ssn(?!ame|ode)/i

/**
 * Values that are secret under any name: a JSON web token, a key with its vendor's prefix, a long sequence of letters
 * and digits.
 */
const SECRET_VALUE =
  /^(?:eyJ[\w-]+\.[\w-]*(?:\.[\w-]*)?|(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[a-z]|AKIA|AIza)[-_A-Za-z0-9]{10,}|(?=[^/]*\d)(?=[^/]*[A-Za-z])[\w+~.=-]{24,}|[^\s@]{1,100}(?:@|%40)[^\s@]{1,260}\.[A-Za-z]{2,63})$/

/** In text: a scheme with user name or password, or both. */
const USERINFO = /\b([a-z][a-z\d+.-]{1,20}:\/\/)[^\s/@:]{0,200}(?::[^\s/@]{0,200})?@/gi
/** In text: name and value of a parameter, in a query or after `#`. */
const PARAMETER = /([?&;#]|^)([^=&?;#\s"'<>]{1,100})=([^&;#\s"'<>]{1,4096})/g
/** Start of an Authorization header's value. */
const SCHEME = /bearer|basic|digest/i
/** In text: the value of an Authorization header. */
const AUTHORIZATION = /\b(bearer|basic|digest)\s+[\w+/=.~-]{6,}/gi
/**
 * In text: a header or field with its value. Its name may begin with something else: `clientSecret`. JSON inside of
 * JSON has backslashes, and Node prints the entries of a Map with an arrow.
 */
const FIELD =
  /(authorization|cookie|password|passwd|secret|token|api[-_]?key)(\\*["']?\s*(?:=>|[:=])\s*\\*["']?)([^\s"',;&][^"',&\n]{0,4095})/gi
/** In text: a JSON web token on its own. Does not begin within a word, so that each word is read once. */
const JWT = /(?<![\w-])eyJ[\w-]{8,2048}\.[\w-]{8,4096}\.[\w-]*/g
/**
 * In text: an e-mail address, whose host may be an IP address. Not the version of a package, `react@19.0.0`, nor a
 * picture for dense screens, `logo@2x.png`.
 */
const EMAIL =
  /[\w.+-]{1,64}@(?!\dx\.(?:png|jpe?g|gif|webp|avif)\b)(?:[\w.-]{1,253}\.[a-z]{2,63}|\d{1,3}(?:\.\d{1,3}){3})/gi

/** Maximum results for names to cache. A guess: code names fields in a few hundred ways. */
const MAX_CACHED_NAMES = 500

/** Maximum characters of a name to cache. */
const SHORT = 40

const answers = new Map<string, boolean>()

export function isSecretName(name: string): boolean {
  const known = answers.get(name)
  if (known !== undefined) return known
  const answer = SECRET_NAME.test(name)
  if (answers.size < MAX_CACHED_NAMES && name.length <= SHORT) answers.set(name, answer)
  return answer
}

/**
 * Whether a field must be omitted because of its name. `input_tokens` are counted, and a boolean contains no secret.
 */
export function isSecretField(name: string, value: unknown): boolean {
  if (typeof value === 'boolean' || value === null) return false
  return isSecretName(name) && !(typeof value === 'number' && /tokens/i.test(name))
}

/** Whether the value of a parameter must be omitted, because of its name, its form, or an encoded secret in it. */
export function isSecret(name: string, value: string): boolean {
  const plain = decode(value)
  return isSecretName(decode(name)) || SECRET_VALUE.test(plain) || (plain !== value && removeSecrets(plain) !== plain)
}

/** Maximum characters of a text to read and send. A guess: no message needs more. */
export const MAX_TEXT_LENGTH = 32 * 1024

/** Maximum texts without secrets to cache. A guess: programs have a few hundred user agents. */
const MAX_CACHED_TEXTS = 500

/** Maximum characters of a text to cache. */
const SHORT_TEXT = 300

/** Characters that make it slow to search a text. */
const MARK = /[:=@]/

/** Texts without secrets that are slow to search: many headers are the same in each request. */
const cleanTexts = new Set<string>()

/** Removes secrets from a text: in queries of addresses, in headers, and on their own. */
export function scrubText(whole: string): string {
  if (cleanTexts.has(whole)) return whole
  const text = removeSecrets(whole)
  if (text === whole && whole.length <= SHORT_TEXT && MARK.test(whole)) {
    if (cleanTexts.size === MAX_CACHED_TEXTS) cleanTexts.clear()
    cleanTexts.add(whole)
  }
  return text
}

function removeSecrets(whole: string): string {
  let text = whole.length > MAX_TEXT_LENGTH ? `${whole.slice(0, MAX_TEXT_LENGTH)}…` : whole
  if (text.includes('@')) text = text.replace(USERINFO, `$1${FILTERED}@`)
  if (SCHEME.test(text)) text = text.replace(AUTHORIZATION, `$1 ${FILTERED}`)
  if (text.includes('eyJ')) text = text.replace(JWT, FILTERED)
  if (text.includes('='))
    text = text.replace(PARAMETER, (whole: string, before: string, name: string, value: string) =>
      isSecret(name, value) ? `${before}${name}=${FILTERED}` : whole
    )
  if (text.includes(':') || text.includes('='))
    text = text.replace(FIELD, (whole: string, name: string, between: string, value: string) =>
      value.startsWith(FILTERED) ? whole : `${name}${between}${FILTERED}`
    )
  if (text.includes('@')) text = text.replace(EMAIL, (whole: string) => (whole.startsWith(FILTERED) ? whole : FILTERED))
  return text
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
