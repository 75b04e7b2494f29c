import { FILTERED } from '@hull/common/secrets.ts'

/*
 * Removes credentials from what any SDK sends. Most SDKs leave this to the server, as Sentry's filters values by their
 * names. The names are fewer than those of `common/secrets.ts`: in a context, `code` or `email` is what a team looks for.
 */

/** Names of fields, at any depth, whose values are credentials or numbers of cards. */
const CREDENTIAL =
  /passw|passcode|passphrase|^pass$|pwd|(?:^|_)pw$|secret|credential|authori[sz]ation|auth$|bearer|cookies?$|csrf|xsrf|jwt|token|(?:access|api|auth|encryption|private|signing)[-_.]?key|card[-_.]?(?:no$|num)|cvc|cvv|^otp$|^pin$/i

/** Further names of parameters, headers and cookies with credentials. Elsewhere these names are common. */
const SENT_CREDENTIAL = /^code$|^key$|^sig$|signature|session|sess[-_]?id|(?:^|[._-])sid$/i

/** Texts that say whether there is a value. SDKs of Python send `True` and `None` as texts. */
const NO_CREDENTIAL = /^(?:true|false|none|null|undefined|)$/i

/** Maximum answers to cache. A guess: services name fields in some hundred ways. */
const MAX_CACHED_NAMES = 1_000

/** Maximum characters of a name to read and to cache. */
const MAX_NAME = 200
const MAX_CACHED_NAME = 60

/** Creates a test of names that remembers its answers: names repeat, and a search takes longer than a look-up. */
function createNameTest(pattern: RegExp): (name: string) => boolean {
  const answers = new Map<string, boolean>()
  return (name) => {
    const known = answers.get(name)
    if (known !== undefined) return known
    const answer = pattern.test(name.slice(0, MAX_NAME))
    if (answers.size < MAX_CACHED_NAMES && name.length <= MAX_CACHED_NAME) answers.set(name, answer)
    return answer
  }
}

const isCredentialName = createNameTest(CREDENTIAL)
const isSentCredentialName = createNameTest(SENT_CREDENTIAL)

/** Whether the value of a field must not be stored. A number of tokens is a count, also in a text: `input_tokens=512`. */
export function isCredential(name: string, value: unknown): boolean {
  if (!isCredentialName(name) || typeof value === 'boolean' || value === null || value === undefined) return false
  if (typeof value === 'number') return !/token/i.test(name)
  if (typeof value !== 'string') return true
  const isCount = /tokens$/i.test(name) && /^\d+$/.test(value)
  return !isCount && !NO_CREDENTIAL.test(value)
}

/** Returns the value of a field, unless it is a credential. */
export const withoutCredential = <Value>(name: string, value: Value): Value | string =>
  isCredential(name, value) ? FILTERED : value

/** A text as Python prints it. */
const QUOTED = /^b?'(.*)'$/

/** Returns an item of a list. Servers in Python and Java list headers as pairs, which may have a name and a credential. */
export function withoutPairedCredential(item: unknown): unknown {
  if (!Array.isArray(item) || item.length !== 2 || typeof item[0] !== 'string') return item
  const [name, value] = item as [string, unknown]
  return [name, withoutCredential(QUOTED.exec(name)?.[1] ?? name, value)]
}

/** Whether the value of a parameter, header or cookie must not be stored. */
export const isSentCredential = (name: string, value: string): boolean =>
  isSentCredentialName(name) || isCredential(name, value)

/** User name and password of an address, as in `postgres://hull:secret@host`. */
const PASSWORD = /\b([a-z][a-z\d+.-]{1,20}:\/\/[^\s/@:]{0,200}):[^\s/@]{1,200}@/gi

/** A private key in PEM (RFC 7468), perhaps cut. */
const PRIVATE_KEY = /-----BEGIN ((?:[A-Z]{2,12} ){0,2}PRIVATE KEY)-----(?:(?!-----)[^])*(?:-----END \1-----|$)/g

/** Value of an Authorization header. */
const AUTHORIZATION = /\b(bearer|basic)\s+(?=[\w+/.~-]*[\d=])[\w+/.~-]{6,}=*/gi

/** Start of such a value. */
const SCHEME = /\b(?:bearer|basic)\s/i

/** Name and value of a parameter: of a query or fragment, a form or a connection string. */
const PARAMETER = /([?&#;\s"']|^)([^=&?;#\s"'<>]{1,100})=([^&;#\s"'<>]+)/g

/** Name of a field of an object in JSON, or as Python and Node print it. */
const FIELD = /(["'])([^"'\\]{1,100})\1:\s*/g

/** Its value. Booleans and null are no credentials. A text may be cut. */
const VALUE = /[bu]?"(?:[^"\\]|\\.)*"?|[bu]?'(?:[^'\\]|\\.)*'?|-?\d[\d.e+-]*|\[[^[\]{}]*\]|\{[^[\]{}]*\}/sy

/** Removes private keys, and the values of credentials of an address, a form, or an object in JSON. Keeps the rest. */
export function removeCredentials(text: string): string {
  let kept = text
  if (kept.includes('PRIVATE KEY-----')) kept = kept.replace(PRIVATE_KEY, FILTERED)
  if (kept.includes('://') && kept.includes('@')) kept = kept.replace(PASSWORD, `$1:${FILTERED}@`)
  if (SCHEME.test(kept)) kept = kept.replace(AUTHORIZATION, `$1 ${FILTERED}`)
  if (kept.includes('='))
    kept = kept.replace(PARAMETER, (whole: string, before: string, name: string, value: string) => {
      const isOfAddress = /[?&#]/.test(before)
      return (isOfAddress ? isSentCredential : isCredential)(name, value) ? `${before}${name}=${FILTERED}` : whole
    })
  return kept.includes('":') || kept.includes("':") ? removeFields(kept) : kept
}

function removeFields(text: string): string {
  let kept = ''
  let from = 0
  for (const { 0: field, 1: quote = '', 2: name = '', index } of text.matchAll(FIELD)) {
    if (index < from || !isCredentialName(name)) continue
    const start = index + field.length
    VALUE.lastIndex = start
    const [value] = VALUE.exec(text) ?? []
    if (value === undefined || (/^[-\d]/.test(value) && !isCredential(name, 0))) continue
    kept += `${text.slice(from, start)}${quote}${FILTERED}${quote}`
    from = start + value.length
  }
  return from === 0 ? text : kept + text.slice(from)
}
