/** A token: text between spaces outside of quotes. */
export interface Token {
  position: number
  /** Exclusive. */
  end: number
  negated: boolean
  /** Text before the colon; undefined without a colon, or if it is in quotes. */
  name?: string
  /** Text after the colon, or the whole token. */
  text: string
  /** The whole token is in quotes. */
  isQuoted: boolean
  /** Place in `text` of the first equals sign outside of quotes, of a `tag:` or an attribute. */
  equalsAt?: number
}

/** The whole token, where its name is no filter. */
export const toWord = ({ name, text }: Token): string => (name === undefined ? text : `${name}:${text}`)

/** Splits a `tag:` or an attribute at its equals sign, one outside of quotes if there is any; undefined without one. */
export function splitPair({ text, equalsAt = text.indexOf('=') }: Token): { name: string; value: string } | undefined {
  return equalsAt < 0 ? undefined : { name: text.slice(0, equalsAt), value: text.slice(equalsAt + 1) }
}

interface Value {
  value: string
  end: number
  isQuoted: boolean
  equalsAt?: number
}

/**
 * Letters only, or a name with a dot that Sentry has, and not the start of an address or a namespace: `https://`,
 * `node:fs`, `file.ts:12`, `C:\\` and `Rack::Timeout` are no filters.
 */
const NAME =
  /^(?!(?:node|data|blob|javascript|webpack|localhost):)([a-z]+|user\.(?:id|email|username)|(?:os|browser)\.name):(?!\/\/|\\|:)/i

/**
 * Splits the text into tokens. An unclosed quote extends to the end; `\"` is a quote inside of quotes.
 * @param hasAttributes of log lines: the value of `name="a value"` may be in quotes
 */
export function* scan(text: string, hasAttributes = false): Generator<Token> {
  for (let at = 0; at < text.length;) {
    if (/\s/.test(text[at]!)) {
      at++
      continue
    }
    const position = at
    const negated = /^[-!](?=\S)/.test(text.slice(at, at + 2))
    if (negated) at++
    const name = NAME.exec(text.slice(at, at + 64))?.[1]
    if (name !== undefined) at += name.length + 1
    const { value, end, ...read } =
      text[at] === '"' && name !== 'tag'
        ? { ...readQuoted(text, at + 1), isQuoted: true }
        : readValue(text, at, name === 'tag' || hasAttributes)
    at = end
    yield { position, end, negated, ...(name !== undefined && { name }), text: value, ...read }
  }
}

/**
 * @param isPair allows quotes around the name and around the value; elsewhere, a quote inside a word is an ordinary
 * character
 */
function readValue(text: string, from: number, isPair: boolean): Value {
  let value = ''
  let at = from
  let equalsAt: number | undefined
  while (at < text.length && !/\s/.test(text[at]!)) {
    if (isPair && text[at] === '"' && (at === from || text[at - 1] === '=')) {
      const quoted = readQuoted(text, at + 1)
      value += quoted.value
      at = quoted.end
    } else {
      if (isPair && text[at] === '=') equalsAt ??= value.length
      value += text[at++]
    }
  }
  return { value, end: at, isQuoted: false, ...(equalsAt !== undefined && { equalsAt }) }
}

function readQuoted(text: string, from: number): { value: string; end: number } {
  let value = ''
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') return { value, end: at + 1 }
    if (text[at] === '\\' && /["\\]/.test(text[at + 1] ?? '')) at++
    value += text[at]
  }
  return { value, end: text.length }
}
