/** A node of a syntax tree, of any type. */
export interface AstNode {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

export const isNode = (value: unknown): value is AstNode =>
  typeof value === 'object' && value !== null && typeof (value as AstNode).type === 'string'

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

export const isFunction = ({ type }: { type: string }): boolean => FUNCTIONS.has(type)
