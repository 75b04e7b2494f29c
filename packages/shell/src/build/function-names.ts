import { parseSync } from 'vite'
import { isFunction, isNode, type AstNode } from './ast.ts'

/** The named functions of a source file: their names and positions. */
export interface NamedFunctions {
  names: string[]
  /**
   * Five numbers per function, in source order, all from 0: first line, first column, last line, last column, index of
   * the name.
   */
  ranges: number[]
}

/** Nodes that pass a name on to the function inside, such as `f as T`. */
const WRAPPERS = new Set([
  'JSXExpressionContainer',
  'ParenthesizedExpression',
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression'
])

/** Calls that return the function they receive, or a replacement for it. */
const WRAPPING_CALL = /^(?:debounce|forwardRef|fp|lazy|memo|once|throttle|use[A-Z]\w*)$/

/**
 * Finds functions with a name, including a name from an assignment, because a minified stack has no names. A function
 * without a name counts as part of the surrounding one.
 * @param file its ending determines the language
 * @returns none if the code cannot be parsed
 * @throws RangeError if the code is nested thousands of levels deep
 */
export function findFunctionNames(file: string, code: string): NamedFunctions {
  const names: string[] = []
  const ranges: number[] = []
  const { program, errors } = parseSync(file, code)
  if (errors.length > 0) return { names, ranges }
  const toPosition = createPositions(code)

  visit(program as unknown as AstNode, undefined, undefined)
  return { names, ranges }

  function visit(node: AstNode, given: string | undefined, owner: string | undefined) {
    if (isFunction(node)) {
      const name = nameOf(node.id) ?? given
      if (name !== undefined) add(node, name)
      owner = undefined
    } else if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
      owner = nameOf(node.id) ?? given
    }
    for (const [key, value] of Object.entries(node)) {
      const name = nameFor(node, key, owner) ?? (isWrapper(node) ? given : undefined)
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, name, owner)
    }
  }

  function add({ start, end }: AstNode, name: string) {
    let at = names.indexOf(name)
    if (at === -1) at = names.push(name) - 1
    ranges.push(...toPosition(start), ...toPosition(end), at)
  }
}

const isWrapper = (node: AstNode) =>
  WRAPPERS.has(node.type) || (node.type === 'CallExpression' && WRAPPING_CALL.test(nameOf(node.callee) ?? ''))

/** Returns the name that a node gives to its child at `key`. */
function nameFor(node: AstNode, key: string, owner: string | undefined): string | undefined {
  if (node.type === 'VariableDeclarator' && key === 'init') return nameOf(node.id)
  if (node.type === 'AssignmentExpression' && key === 'right') return nameOf(node.left)
  if (node.type === 'AssignmentPattern' && key === 'right') return nameOf(node.left)
  if (node.type === 'Property' && key === 'value') return nameOf(node.key)
  if (node.type === 'JSXAttribute' && key === 'value') return nameOf(node.name)
  if (node.type === 'ExportDefaultDeclaration') return 'default'
  if ((node.type === 'MethodDefinition' || node.type === 'PropertyDefinition') && key === 'value') {
    const name = nameOf(node.key)
    return name === undefined || owner === undefined ? name : `${owner}.${name}`
  }
  return undefined
}

/** Returns the name of a node: an identifier, the last part of `a.b`, or a key. */
function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (typeof node.name === 'string') return node.type === 'PrivateIdentifier' ? `#${node.name}` : node.name
  if (node.type === 'MemberExpression') return nameOf(node.property)
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}

/** Returns a function that converts an offset to line and column. */
function createPositions(code: string) {
  const starts = [0]
  for (let at = code.indexOf('\n'); at !== -1; at = code.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset: number): [line: number, column: number] => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return [low, offset - starts[low]!]
  }
}
