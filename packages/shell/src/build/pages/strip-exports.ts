import MagicString, { type SourceMap } from 'magic-string'
import type { ESTree } from 'vite'
import { parseModule } from './module-exports.ts'
import { analyze } from '@typescript-eslint/scope-manager'

type Statement = ESTree.Program['body'][number]

/** A remaining part of a module: a whole statement, or an entry of a shortened export list. */
type Kept = Statement | ESTree.ExportSpecifier

/**
 * Removes exports from a module, with every declaration that only they used, and every import that is then unused: a
 * remaining import of server code would reach the browser.
 * @param names exports to remove, possibly `default`
 * @returns undefined if nothing can be removed
 * @throws Error with the file's name if what remains uses a removed export, or is declared together with one
 */
export function stripExports(
  file: string,
  code: string,
  names: string[]
): { code: string; map: SourceMap } | undefined {
  const { program } = parseModule(file, code)
  const scope = readModuleScope(program)
  const output = new MagicString(code)
  const removed: Statement[] = []
  const kept: Kept[] = []
  for (const statement of program.body) {
    const left = keepOf(statement, names, scope)
    kept.push(...left)
    if (left[0] === statement) continue
    removed.push(statement)
    if (left.length === 0) output.remove(statement.start, statement.end)
    else output.update(statement.start, statement.end, printExportList(statement, left as ESTree.ExportSpecifier[]))
  }
  const unused = unusedSince(kept, removed, scope)
  const remaining = kept.filter((piece) => !unused.includes(piece))
  checkRemoved(file, removed, names, remaining, scope)
  for (const { start, end } of unused) output.remove(start, end)
  if (!output.hasChanged()) return undefined
  return { code: output.toString(), map: output.generateMap({ source: file, hires: 'boundary', includeContent: true }) }
}

function checkRemoved(
  file: string,
  removed: Statement[],
  names: string[],
  remaining: Kept[],
  scope: ModuleScope
): void {
  const declared = removed.flatMap((statement) => (isList(statement) ? [] : scope.declaredIn(statement)))
  const isForServer = names.includes('default')
  const other = declared.find((name) => !isForServer && !names.includes(name))
  if (other) throw new Error(`${file}: declare "${other}" in a statement of its own: the build removes this one`)
  const used = remaining.flatMap(scope.usedIn).find((name) => declared.includes(name))
  if (used)
    throw new Error(
      `${file}: the code for the ${isForServer ? 'server' : 'browser'} uses "${used}", which the build removes from it: put what both sides need into a constant`
    )
}

const isList = (statement: Statement) => statement.type === 'ExportNamedDeclaration' && !statement.declaration

/**
 * Returns the remaining parts of a statement without the named exports: the statement, some entries of its list, or
 * nothing.
 */
function keepOf(statement: Statement, names: string[], scope: ModuleScope): Kept[] {
  if (statement.type === 'ExportDefaultDeclaration') return names.includes('default') ? [] : [statement]
  if (statement.type !== 'ExportNamedDeclaration') return [statement]
  if (statement.declaration) return scope.declaredIn(statement).some((name) => names.includes(name)) ? [] : [statement]
  const left = statement.specifiers.filter(({ exported }) => !names.includes(exportName(exported)))
  return left.length === statement.specifiers.length ? [statement] : left
}

function printExportList(statement: Statement, specifiers: ESTree.ExportSpecifier[]): string {
  const list = specifiers.map(({ local, exported }) => `${exportName(local)} as ${exportName(exported)}`).join(', ')
  const source = 'source' in statement ? statement.source : null
  return `export { ${list} }${source ? ` from ${JSON.stringify(source.value)}` : ''}`
}

const exportName = (node: ESTree.ModuleExportName) => (node.type === 'Literal' ? node.value : node.name)

const DECLARATIONS = new Set(['ImportDeclaration', 'FunctionDeclaration', 'ClassDeclaration', 'VariableDeclaration'])

/** Returns declarations that only removed parts used, directly or indirectly, and unused imports. */
function unusedSince(kept: Kept[], removed: Statement[], scope: ModuleScope): Kept[] {
  const declarations = new Map<string, Kept>()
  for (const statement of kept)
    if (DECLARATIONS.has(statement.type))
      for (const name of scope.declaredIn(statement)) declarations.set(name, statement)

  const reach = (from: Kept[]) => {
    const seen = new Set<Kept>()
    const queue = [...from]
    for (let piece = queue.pop(); piece; piece = queue.pop()) {
      for (const name of scope.usedIn(piece)) {
        const statement = declarations.get(name)
        if (!statement || seen.has(statement)) continue
        seen.add(statement)
        queue.push(statement)
      }
    }
    return seen
  }
  const candidates = reach(removed)
  for (const statement of declarations.values()) if (statement.type === 'ImportDeclaration') candidates.add(statement)
  const used = reach(kept.filter((statement) => !candidates.has(statement)))
  return [...candidates].filter((statement) => !used.has(statement))
}

interface Span {
  start: number
  end: number
}

/** Top-level names of a module, and where they are used as values. */
interface ModuleScope {
  /** Top-level names declared inside a piece of the module. */
  declaredIn: (piece: Span) => string[]
  /** Top-level names that a piece of the module uses as values. */
  usedIn: (piece: Span) => string[]
}

/**
 * Resolves the names of a module.
 * @param program parsed with `range` and, even for JavaScript, with TypeScript's tree, which the analyser requires
 */
function readModuleScope(program: ESTree.Program): ModuleScope {
  // The analyser's types describe its own parser's tree, which has the same shape.
  const tree = program as unknown as Parameters<typeof analyze>[0]
  const { scopes } = analyze(tree, { sourceType: 'module', jsxPragma: null })
  const { variables } = scopes.find(({ type }) => type === 'module')!
  const typeQueries = findTypeQueries(program)
  const names = variables.map(({ name, identifiers, references }) => ({
    name,
    declarations: identifiers.map(startOf),
    uses: references
      .filter(({ isValueReference }) => isValueReference)
      .map(({ identifier }) => startOf(identifier))
      // `typeof load` in a type does not exist at run time.
      .filter((start) => !typeQueries.some((query) => isInside(start, query)))
  }))
  return {
    declaredIn: (piece) =>
      names.filter(({ declarations }) => declarations.some((start) => isInside(start, piece))).map(({ name }) => name),
    usedIn: (piece) => names.filter(({ uses }) => uses.some((start) => isInside(start, piece))).map(({ name }) => name)
  }
}

const startOf = ({ range }: { range: [number, number] }) => range[0]

const isInside = (start: number, piece: Span) => start >= piece.start && start < piece.end

function findTypeQueries(node: object, found: Span[] = []): Span[] {
  if ('type' in node && node.type === 'TSTypeQuery') found.push(node as unknown as Span)
  for (const child of Object.values(node))
    if (typeof child === 'object' && child !== null) findTypeQueries(child, found)
  return found
}
