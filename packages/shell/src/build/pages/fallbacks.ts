import { globSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { nearest } from '@hull/common/nearest.ts'
import { findFile } from './client-files.ts'
import { hasExport, parseModule } from './module-exports.ts'
import { toShellModule } from '../shell-client.ts'

/** Virtual module with the application's fallbacks, and the shell's own for those that are missing. */
export const FALLBACKS = 'hull:fallbacks'

interface Fallback {
  /** Export name in {@link FALLBACKS} and in the shell's module. */
  name: string
  /**
   * Export name in the application's file.
   * @default 'default'
   */
  exported?: string
  endings: readonly string[]
  /** Path of the shell's module. */
  shell: string
}

const COMPONENTS = ['tsx', 'jsx']
const MODULES = ['ts', 'js']
const SHELL_COMPONENTS = toShellModule('fallbacks/default-fallbacks.tsx')
const SHELL_TEXT = toShellModule('fallbacks/default-error-text.ts')

/** Fallbacks by file name in `client/fallbacks/`, without ending. */
const FILES: Record<string, readonly Fallback[]> = {
  error: [{ name: 'ErrorFallback', endings: COMPONENTS, shell: SHELL_COMPONENTS }],
  refused: [{ name: 'Refused', endings: COMPONENTS, shell: SHELL_COMPONENTS }],
  unauthorized: [{ name: 'Unauthorized', endings: COMPONENTS, shell: SHELL_COMPONENTS }],
  forbidden: [{ name: 'Forbidden', endings: COMPONENTS, shell: SHELL_COMPONENTS }],
  'not-found': [{ name: 'NotFound', endings: COMPONENTS, shell: SHELL_COMPONENTS }],
  'error-document': [
    { name: 'errorDocument', endings: MODULES, shell: toShellModule('fallbacks/default-error-document.ts') }
  ],
  'error-text': [
    { name: 'errorSentence', exported: 'errorSentence', endings: MODULES, shell: SHELL_TEXT },
    { name: 'digestLine', exported: 'digestLine', endings: MODULES, shell: SHELL_TEXT }
  ]
}

/**
 * Returns the code of {@link FALLBACKS}.
 * @param root the client folder
 * @throws Error with one line per problem: a component whose file name is not a fallback's, or a missing export
 */
export function writeFallbacks(root: string): string {
  const folder = join(root, 'fallbacks')
  const problems = findUnknown(folder)
  const lines = Object.entries(FILES).flatMap(([base, exports]) =>
    exports.map(({ name, exported = 'default', endings, shell }) => {
      const file = findFile(folder, base, endings)
      if (file === undefined) return `export { ${name} } from ${JSON.stringify(shell)}`
      const { exports: found } = parseModule(`client/fallbacks/${file}`, readFileSync(join(folder, file), 'utf8'))
      if (!hasExport(found, exported))
        problems.push(`client/fallbacks/${file}: export ${exported === 'default' ? 'a default' : `"${exported}"`}`)
      return `export { ${exported} as ${name} } from ${JSON.stringify(`/fallbacks/${file}`)}`
    })
  )
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return `${lines.join('\n')}\n`
}

function findUnknown(folder: string): string[] {
  const names = Object.keys(FILES)
  return globSync('*.{tsx,jsx}', { cwd: folder }).flatMap((file) => {
    const name = basename(file, extname(file))
    if (names.includes(name)) return []
    const meant = nearest(name, names)
    const advice = meant ? `did you mean "${meant}"?` : `there are ${names.join(', ')}.`
    return [
      `client/fallbacks/${file}: no fallback has this name; ${advice} Other components belong in client/components`
    ]
  })
}
