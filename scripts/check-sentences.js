import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'

/*
 * Reads sentences: screens, errors, log lines, comments, titles of tests and documentation. Reports those that match a
 * sign of unclear English, with their position and a suggestion. Part of `npm test`.
 */

/** @typedef {{ line: number, text: string }} Sentence */
/** @typedef {any} Node of the syntax tree, as ESTree has them */

/** Signs, with suggestions. A sentence begins at the start of a text or after `.`, `!`, `?` or `:`. */
const SIGNS = [
  {
    sign: /(?:^|[.!?:] )(?:What|Who|Whoever|Whose|That which) [^.!?]*(?:[.!:]|$)/,
    instead: 'begin with the noun: subject, verb, object'
  },
  { sign: /\banew\b/i, instead: '"again"' },
  { sign: /\bby which\b/i, instead: '"with which" or "that", or two sentences' },
  { sign: /\blet(?:s|ting)? go\b/i, instead: '"releases", "removes" or "closes"' },
  { sign: /\b(?:is|are|was|were) over\b(?! \d)/i, instead: '"has ended" or "has expired"' },
  { sign: /\bstands?\b(?! for\b)/i, instead: '"is", or the verb for the case, such as "is listed"' },
  { sign: /\btells?\b/i, instead: '"says", "shows" or "reports"' },
  { sign: /\bin vain\b/i, instead: '"without success", or what failed' },
  { sign: /\bwhoever\b/i, instead: 'the noun: the visitor, the caller, the client' },
  { sign: /\b(?:is|are|was|were) told\b/i, instead: '"receives", "sees" or "is notified"' },
  { sign: /\bwhat (?:came|comes|waits|waited|lies|goes)\b/i, instead: 'the noun: received items, waiting envelopes' },
  { sign: /\b(?:knows?|knew) nothing of\b/i, instead: '"does not depend on" or "does not import"' },
  { sign: /\bgo(?:es)? along\b/i, instead: '"is sent with"' },
  { sign: /\bmend(?:s|ed|ing)?\b/i, instead: '"correct", "repair" or "fix"' },
  { sign: /\bput right\b/i, instead: '"corrected"' },
  { sign: /\bfor ever\b/i, instead: '"forever" or "without end"' },
  { sign: /\bpast (?:\d|which\b|that\b|this\b|`)/i, instead: '"above", "beyond" or "after"' },
  { sign: /\bsome \d/i, instead: '"about"' },
  { sign: /\bl(?:ies|ay) (?:in|on|beside|below|between|outside)\b/i, instead: '"is"' },
  { sign: /\bcannot be so\b/i, instead: '"Invalid" and the noun' },
  { sign: /\bwhence\b|\bwhereof\b|\bthereof\b|\bthereby\b|\bwherein\b|\bthither\b/i, instead: 'the noun' }
]

/** Files in which every text is checked. In all code, comments are checked, too. */
const SCREENS = ['{,docs/examples/*/}client/**/*.{ts,tsx}', 'packages/*/src/**/*.tsx', 'packages/inbox/src/web/**/*.ts']
const ERRORS = ['packages/*/src/errors.ts', 'packages/*/src/outcomes.ts']
/** Files in which messages of errors, log lines, and titles and messages of tests are checked. */
const CODE = ['**/*.{ts,tsx,js}']
const PROSE = [
  '*.md',
  'docs/*.md',
  'docs/decisions/*.md',
  'bench/README.md',
  'packages/*/README.md',
  'packages/*/docs/*.md',
  'packages/create-hull/template/*.md'
]

/** Files in which comments are checked. */
const STYLES = ['**/*.css']
const SETTINGS = ['Dockerfile', '.dockerignore', '{,deploy/**/}{*.yaml,.env.example,Caddyfile}', '.github/**/*.yml']

/** Positions of a test's messages among the arguments of its assertions. */
const MESSAGE_AT = new Map([
  ['test', 0],
  ['pass', 0],
  ['fail', 0],
  ['ok', 1],
  ['notOk', 1]
])

const LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])

/** @param {string} text @returns {string | undefined} a suggestion */
export function findSign(text) {
  return SIGNS.find(({ sign }) => sign.test(text))?.instead
}

/**
 * Texts of a script with at least two words: comments, JSX text, string literals and templates.
 * @param {string} file
 * @param {string} code
 * @param {boolean} [isScreen] true for every text, false for comments and messages only
 * @returns {Sentence[]}
 */
export function readScript(file, code, isScreen = true) {
  const { program, comments, errors } = parseSync(file, code, { range: true, astType: 'ts' })
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`)
  /** @type {Sentence[]} */
  const sentences = []
  visit(program, isScreen)
  for (const { start, value } of comments) add(start, value.replaceAll(/^\s*\*/gm, ''))
  return sentences.toSorted((one, other) => one.line - other.line)

  /** @param {unknown} value @param {boolean} isRead */
  function visit(value, isRead) {
    if (Array.isArray(value)) return value.forEach((node) => visit(node, isRead))
    if (typeof value !== 'object' || value === null || !('type' in value)) return
    const node = /** @type {Node} */ (value)
    const text = textOf(node)
    if (isRead && text !== undefined) add(node.range[0], text)
    if (node.type === 'ImportDeclaration' || isClassName(node)) return
    const reads = isRead || isMessage(node)
    const message = reads ? undefined : messageOfTest(node)
    for (const name in node) if (name !== 'parent') visit(node[name], reads)
    visit(message, true)
  }

  /** @param {number} start @param {string} text */
  function add(start, text) {
    const one = text.replaceAll(/\s+/g, ' ').trim()
    if (one.includes(' ')) sentences.push({ line: code.slice(0, start).split('\n').length, text: one })
  }
}

/** @param {Node} node @returns {string | undefined} */
function textOf(node) {
  if (node.type === 'JSXText') return node.value
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral') return node.quasis.map((/** @type {Node} */ { value }) => value.cooked).join('…')
  return undefined
}

/** @param {Node} node */
const isClassName = (node) => node.type === 'JSXAttribute' && node.name.name === 'className'

/** A new error, or a call of a logger: `log.warn(…)`, `app.log.error(…)`. @param {Node} node */
function isMessage({ type, callee }) {
  if (type === 'NewExpression') return callee.type === 'Identifier' && callee.name.endsWith('Error')
  if (type !== 'CallExpression' || callee.type !== 'MemberExpression') return false
  const { object, property } = callee
  const owner = object.name ?? object.property?.name
  return LEVELS.has(property.name) && (owner === 'log' || owner === 'logger' || owner === 'console')
}

/**
 * Title or message of a test: `t.test('…')`, `t.equal(value, 1, '…')`.
 * @param {Node} node
 * @returns {Node | undefined}
 */
function messageOfTest({ type, callee, arguments: values }) {
  if (type !== 'CallExpression' || callee.type !== 'MemberExpression' || callee.object.name !== 't') return undefined
  return values[MESSAGE_AT.get(callee.property.name) ?? 2]
}

/**
 * Texts of Markdown: paragraphs, table cells and headings, without code.
 * @param {string} source
 * @returns {Sentence[]}
 */
export function readProse(source) {
  let isCode = false
  return source.split('\n').flatMap((whole, index) => {
    if (/^\s*```/.test(whole)) isCode = !isCode
    else if (!isCode) {
      const cells = whole.replaceAll(/`[^`]*`/g, '`…`').split(/^\s*(?:#+|[-*>]|\d+\.)\s+|\|/)
      return cells.map((cell) => ({ line: index + 1, text: cell.replaceAll('**', '').trim() }))
    }
    return []
  })
}

/**
 * Comments of a style sheet. They begin with a small letter.
 * @param {string} source
 * @returns {Sentence[]}
 */
export function readStyles(source) {
  return [...source.matchAll(/\/\*(.*?)\*\//gs)].map(({ 1: comment = '', index }) => ({
    line: source.slice(0, index).split('\n').length,
    text: capitalize(comment.replaceAll(/\s+\**\s*/g, ' ').trim())
  }))
}

/** @param {string} text */
const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1)

/**
 * Comments that begin with `#`, of settings and container files. Adjacent lines are one comment.
 * @param {string} source
 * @returns {Sentence[]}
 */
export function readSettings(source) {
  return [...source.matchAll(/^(?:[ \t]*#.*\n?)+/gm)].map(({ 0: comment, index }) => ({
    line: source.slice(0, index).split('\n').length,
    text: comment
      .replaceAll(/^[ \t]*#/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim()
  }))
}

/** @param {string} root folder of the project @returns {string[]} a line for each sentence with a sign */
export function checkSentences(root) {
  const screens = new Set(find([...SCREENS, ...ERRORS]))
  const scripts = new Set([...screens, ...find(CODE)])
  const read = (/** @type {string} */ file) => readFileSync(join(root, file), 'utf8')
  return [
    ...[...scripts].flatMap((file) => report(file, readScript(file, read(file), screens.has(file)))),
    ...find(PROSE).flatMap((file) => report(file, readProse(read(file)))),
    ...find(STYLES).flatMap((file) => report(file, readStyles(read(file)))),
    ...find(SETTINGS).flatMap((file) => report(file, readSettings(read(file))))
  ]

  /** @param {string[]} patterns */
  function find(patterns) {
    return globSync(patterns, { cwd: root, exclude: (name) => /(^|\/)(node_modules|dist)$/.test(String(name)) })
      .map((file) => file.replaceAll('\\', '/'))
      .toSorted()
  }
}

/** @param {string} file @param {Sentence[]} sentences */
function report(file, sentences) {
  return sentences.flatMap(({ line, text }) => {
    const instead = findSign(text)
    return instead === undefined ? [] : [`${file}:${line}: ${text}\n  Write ${instead}.`]
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lines = checkSentences(dirname(dirname(fileURLToPath(import.meta.url))))
  for (const line of lines) process.stdout.write(`${line}\n`)
  if (lines.length > 0) process.exitCode = 1
}
