import { analyze } from '@typescript-eslint/scope-manager'
import type { ESTree } from 'vite'

interface Span {
  start: number
  end: number
}

/** The names at the top of a module, and where they are used as values. */
export interface ModuleScope {
  /** Top-level names declared inside a piece of the module. */
  declaredIn: (piece: Span) => string[]
  /** Top-level names that a piece of the module uses as values. */
  usedIn: (piece: Span) => string[]
}

/**
 * Resolves the names of a module.
 * @param program parsed with `range` and with TypeScript's tree for JavaScript too, which the analyser needs
 */
export function readModuleScope(program: ESTree.Program): ModuleScope {
  // The analyser's types are those of its own parser, whose tree this one has the shape of.
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
      // `typeof load` in a type is gone before the code runs.
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
