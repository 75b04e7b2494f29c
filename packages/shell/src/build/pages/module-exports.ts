import { type ESTree, parseSync } from 'vite'
import { isFunction, isNode, type AstNode } from '../ast.ts'

export interface ModuleExport {
  name: string
  /** Literal value of a flag: `true`, `'lab'`, `null`; undefined if the value is computed. */
  literal: string | boolean | null | undefined
  /** Members of the object literals that the function returns; undefined if there are none. */
  members?: string[]
  /** For `default`: true if the file shows that it is an async function. */
  isAsync?: boolean
}

export const hasExport = (exports: readonly ModuleExport[], name: string): boolean =>
  exports.some((entry) => entry.name === name)

/** Whether a flag is written as true. */
export const isFlagOn = (exports: readonly ModuleExport[], flag: string): boolean =>
  exports.some(({ name, literal }) => name === flag && literal === true)

/** A parsed page or layout file. */
export interface ModuleSource {
  program: ESTree.Program
  exports: ModuleExport[]
}

/**
 * Parses a file and lists its value exports.
 * @throws Error with the file's name and the parser's message
 */
export function parseModule(file: string, code: string): ModuleSource {
  const { program, errors } = parseSync(file, code, { range: true, astType: 'ts' })
  const fatal = errors[0]
  if (fatal) throw new Error(`${file}: ${fatal.message}\n${fatal.codeframe ?? ''}`.trimEnd())
  const exports = program.body.flatMap((statement) => exportsOf(file, statement))
  return {
    program,
    exports: isDefaultAsync(program)
      ? exports.map((entry) => (entry.name === 'default' ? { ...entry, isAsync: true } : entry))
      : exports
  }
}

function exportsOf(file: string, statement: ESTree.Program['body'][number]): ModuleExport[] {
  if (statement.type === 'ExportDefaultDeclaration') return [{ name: 'default', literal: undefined }]
  if (statement.type === 'ExportAllDeclaration' && statement.exportKind !== 'type') {
    throw new Error(`${file}: "export * from" hides what the file exports; name each export`)
  }
  if (statement.type !== 'ExportNamedDeclaration' || statement.exportKind === 'type') return []
  const { declaration } = statement
  if (declaration?.type === 'VariableDeclaration') {
    return declaration.declarations.flatMap(({ id, init }) =>
      id.type === 'Identifier'
        ? [toExport(id.name, literalOf(init), init)]
        : namesIn(id).map((name) => ({ name, literal: undefined }))
    )
  }
  if (declaration && 'id' in declaration && declaration.id && 'name' in declaration.id) {
    return [toExport(declaration.id.name, undefined, declaration)]
  }
  return statement.specifiers
    .filter(({ exportKind }) => exportKind !== 'type')
    .map(({ exported }) => ({ name: 'name' in exported ? exported.name : exported.value, literal: undefined }))
}

/** Returns the names that a pattern such as `{ guard, ...rest }` declares. */
function namesIn(pattern: unknown): string[] {
  if (!isNode(pattern)) return []
  if (pattern.type === 'Identifier') return [pattern.name as string]
  const { properties = [], elements = [], value, left, argument } = pattern as Record<string, unknown>
  return [properties, elements, value ?? left ?? argument].flat().flatMap(namesIn)
}

function isDefaultAsync({ body }: ESTree.Program): boolean {
  const names = new Set<string>()
  for (const statement of body) {
    const inner = 'declaration' in statement ? statement.declaration : statement
    if (inner?.type === 'FunctionDeclaration' && inner.async && inner.id) names.add(inner.id.name)
    if (inner?.type !== 'VariableDeclaration') continue
    for (const { id, init } of inner.declarations)
      if (id.type === 'Identifier' && isAsyncFunction(init)) names.add(id.name)
  }
  return body.some((statement) => {
    if (statement.type === 'ExportDefaultDeclaration') {
      const { declaration } = statement
      return isAsyncFunction(declaration) || (declaration.type === 'Identifier' && names.has(declaration.name))
    }
    if (statement.type !== 'ExportNamedDeclaration' || statement.source) return false
    return statement.specifiers.some(
      ({ local, exported }) =>
        'name' in exported && exported.name === 'default' && 'name' in local && names.has(local.name)
    )
  })
}

const isAsyncFunction = (node: { type: string; async?: boolean } | null): boolean =>
  node !== null && isFunction(node) && node.async === true

function toExport(name: string, literal: ModuleExport['literal'], node: unknown): ModuleExport {
  const members = returnedMembers(node)
  return members.length > 0 ? { name, literal, members } : { name, literal }
}

function literalOf(node: ESTree.Expression | null): ModuleExport['literal'] {
  if (node?.type === 'TSAsExpression' || node?.type === 'TSSatisfiesExpression') return literalOf(node.expression)
  if (node?.type !== 'Literal') return undefined
  const { value } = node
  return value === null || typeof value === 'string' || typeof value === 'boolean' ? value : undefined
}

/** Returns the member names of the object literals that a function returns, without those of functions inside it. */
function returnedMembers(node: unknown): string[] {
  if (!isNode(node)) return []
  if (!isFunction(node)) return isNode(node.expression) ? returnedMembers(node.expression) : []
  return isNode(node.body) && node.body.type !== 'BlockStatement' ? membersOf(node.body) : returnsIn(node.body)
}

function returnsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(returnsIn)
  if (!isNode(value) || isFunction(value)) return []
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
