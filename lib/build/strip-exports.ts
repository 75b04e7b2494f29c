import MagicString, { type SourceMap } from 'magic-string'
import { parseModule } from './module-exports.ts'

/** A syntax tree node, as far as names are concerned. */
interface AstNode {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

/**
 * Removes exports from a module, and every import and declaration that only they used.
 * @param names the exports to remove; `default` is one
 * @returns undefined when the module has none of them
 */
export function stripExports(
  file: string,
  code: string,
  names: string[]
): { code: string; map: SourceMap } | undefined {
  const { program, exports } = parseModule(file, code)
  if (!exports.some(({ name }) => names.includes(name))) return undefined
  const output = new MagicString(code)
  const removed: AstNode[] = []
  const kept: AstNode[] = []
  for (const statement of program.body as unknown as AstNode[]) {
    const left = keepOf(statement, names)
    if (left === statement) {
      kept.push(statement)
      continue
    }
    removed.push(statement)
    if (left) {
      kept.push(left)
      output.update(statement.start, statement.end, printExportList(left))
    } else {
      output.remove(statement.start, statement.end)
    }
  }
  for (const statement of unusedSince(kept, removed)) output.remove(statement.start, statement.end)
  return { code: output.toString(), map: output.generateMap({ source: file, hires: 'boundary', includeContent: true }) }
}

/** What is left of a statement once the named exports are gone: itself, a shorter export list, or nothing. */
function keepOf(statement: AstNode, names: string[]): AstNode | undefined {
  if (statement.type === 'ExportDefaultDeclaration') return names.includes('default') ? undefined : statement
  if (statement.type !== 'ExportNamedDeclaration') return statement
  if (statement.declaration)
    return declaredNames(statement.declaration as AstNode).some((name) => names.includes(name)) ? undefined : statement
  const specifiers = statement.specifiers as AstNode[]
  const left = specifiers.filter(({ exported }) => !names.includes(nameOf(exported)))
  if (left.length === specifiers.length) return statement
  return left.length === 0 ? undefined : { ...statement, specifiers: left }
}

function printExportList({ specifiers, source }: AstNode): string {
  const list = (specifiers as AstNode[])
    .map(({ local, exported }) => `${nameOf(local)} as ${nameOf(exported)}`)
    .join(', ')
  return `export { ${list} }${source ? ` from ${JSON.stringify((source as AstNode).value)}` : ''}`
}

const nameOf = (node: unknown) => (node as AstNode).name as string

/** Declarations that what was removed referred to, directly or not, and nothing that stays does. */
function unusedSince(kept: AstNode[], removed: AstNode[]): AstNode[] {
  const declarations = new Map<string, AstNode>()
  for (const statement of kept) for (const name of declaredNames(statement)) declarations.set(name, statement)
  const reach = (from: AstNode[]) => {
    const seen = new Set<AstNode>()
    const queue = [...from]
    for (let node = queue.pop(); node; node = queue.pop()) {
      for (const name of referredNames(node)) {
        const statement = declarations.get(name)
        if (statement && !seen.has(statement)) {
          seen.add(statement)
          queue.push(statement)
        }
      }
    }
    return seen
  }
  const candidates = reach(removed)
  const used = reach(kept.filter((statement) => !candidates.has(statement)))
  return [...candidates].filter((statement) => !used.has(statement))
}

/** Names that a top-level statement declares; none for exports, which stay whatever refers to them. */
function declaredNames(node: AstNode): string[] {
  switch (node.type) {
    case 'ImportDeclaration':
      return (node.specifiers as AstNode[]).map(({ local }) => nameOf(local))
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return [nameOf(node.id)]
    case 'VariableDeclaration':
      return (node.declarations as AstNode[]).flatMap(({ id }) => patternNames(id as AstNode))
    default:
      return []
  }
}

function patternNames(node: AstNode | null): string[] {
  switch (node?.type) {
    case 'Identifier':
      return [nameOf(node)]
    case 'ObjectPattern':
      return (node.properties as AstNode[]).flatMap((property) =>
        patternNames((property.value ?? property.argument) as AstNode)
      )
    case 'ArrayPattern':
      return (node.elements as Array<AstNode | null>).flatMap(patternNames)
    case 'AssignmentPattern':
      return patternNames(node.left as AstNode)
    case 'RestElement':
      return patternNames(node.argument as AstNode)
    default:
      return []
  }
}

/** Type syntax that wraps an expression; all other type syntax is gone before the code runs. */
const TYPED_EXPRESSIONS = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression'
])

/** Names a node mentions as values. A shadowed name counts too: too much is kept then, never too little. */
function referredNames(node: AstNode, names = new Set<string>()): Set<string> {
  if (node.type === 'Identifier' || node.type === 'JSXIdentifier') return names.add(nameOf(node))
  const isType = node.type.startsWith('TS') && !TYPED_EXPRESSIONS.has(node.type)
  if (isType) return names
  for (const key in node) {
    if (isPlainName(node, key)) continue
    const child = node[key]
    for (const item of Array.isArray(child) ? child : [child]) if (isNode(item)) referredNames(item, names)
  }
  return names
}

/** A property or attribute name, which refers to nothing. */
function isPlainName(node: AstNode, key: string): boolean {
  if (key === 'property')
    return node.type === 'JSXMemberExpression' || (node.type === 'MemberExpression' && node.computed === false)
  if (key === 'key') return node.computed === false && node.shorthand !== true
  return key === 'name' && node.type === 'JSXAttribute'
}

const isNode = (value: unknown): value is AstNode =>
  typeof value === 'object' && value !== null && typeof (value as AstNode).type === 'string'
