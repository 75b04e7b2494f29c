interface AstNode {
  type: string
  [key: string]: unknown
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

/** Names of the members of the object literals that a function returns; those of functions inside it are not its own. */
export function returnedMembers(node: unknown): string[] {
  if (!isNode(node)) return []
  if (!FUNCTIONS.has(node.type)) return isNode(node.expression) ? returnedMembers(node.expression) : []
  return isNode(node.body) && node.body.type !== 'BlockStatement' ? membersOf(node.body) : returnsIn(node.body)
}

function returnsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(returnsIn)
  if (!isNode(value) || FUNCTIONS.has(value.type)) return []
  if (value.type === 'ReturnStatement') return membersOf(value.argument)
  return Object.values(value).flatMap(returnsIn)
}

function membersOf(node: unknown): string[] {
  if (!isNode(node)) return []
  if (node.type !== 'ObjectExpression') return isNode(node.expression) ? membersOf(node.expression) : []
  return (node.properties as AstNode[]).flatMap(({ key, computed }) => {
    const { name, value } = (key ?? {}) as AstNode
    const member = name ?? value
    return typeof member === 'string' && computed !== true ? [member] : []
  })
}

const isNode = (value: unknown): value is AstNode =>
  typeof value === 'object' && value !== null && typeof (value as AstNode).type === 'string'
