import type { Rolldown } from 'vite'
import type { PageRoot } from './pages/roots.ts'
import { isFrameworkModule } from './shell-client.ts'

/**
 * Pages of another root that must use a component before it is in the root's common file. A guess, measured with the
 * inbox: with fewer, small pages load more than they need.
 */
const MIN_SHARE_COUNT = 5

/**
 * Returns the groups of modules that the build writes into one file: the framework, and for each root besides the client
 * folder, such as the inbox, the components that many of its pages use. Otherwise, a page of a root with many components
 * loads dozens of files, whose names are in the entry, which visitors of all other pages load too.
 * @see docs/decisions/096-framework-file.md
 */
export const toGroups = (roots: readonly PageRoot[]): Rolldown.CodeSplittingGroup[] => [
  { name: 'framework', tags: ['$initial'], test: isFrameworkModule },
  ...roots.slice(1).map(({ folder, prefix }) => ({
    name: prefix.slice(1).replaceAll('/', '-'),
    // Not stylesheets: a page has only its own.
    test: (id: string) => id.startsWith(`${folder}/`) && /\.[jt]sx?$/.test(id),
    minShareCount: MIN_SHARE_COUNT,
    includeDependenciesRecursively: false
  }))
]
