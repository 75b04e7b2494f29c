import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findReactPackages } from '../../../src/build/packages/react-packages.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'

interface Manifest {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

const list = (...names: string[]) => Object.fromEntries(names.map((name) => [name, '1.0.0']))

/** Writes a package.json to each folder. */
function createProject(folders: Record<string, Manifest>): string {
  const root = createFolder(t)
  for (const [folder, manifest] of Object.entries(folders)) {
    mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(join(root, folder, 'package.json'), JSON.stringify(manifest))
  }
  return root
}

t.test('names the packages that share React with the pages', async (t) => {
  const root = createProject({
    '.': {
      dependencies: list('react', 'react-dom', 'pg', 'graphql', 'kit', '@scope/icons'),
      devDependencies: list('forms')
    },
    'node_modules/react': {},
    'node_modules/react-dom': { dependencies: list('scheduler'), peerDependencies: list('react') },
    'node_modules/scheduler': {},
    // A native database client, which does not depend on React.
    'node_modules/pg': { dependencies: list('pg-pool') },
    'node_modules/pg-pool': {},
    // Depends on React only through another package, and is a peer dependency of that package.
    'node_modules/kit': { dependencies: list('kit-base', 'dom-helpers', 'graphql') },
    'node_modules/kit-base': { peerDependencies: list('react', 'kit', 'not-installed') },
    'node_modules/dom-helpers': {},
    'node_modules/graphql': {},
    'node_modules/@scope/icons': { peerDependencies: list('react') },
    'node_modules/forms': { peerDependencies: list('react') },
    // In the node_modules of another package, with the name of a dependency of the application.
    'node_modules/kit/node_modules/pg': {}
  })
  t.same(findReactPackages(root), [
    '@scope/icons',
    'dom-helpers',
    'forms',
    'kit',
    'kit-base',
    'react',
    'react-dom',
    'scheduler'
  ])
})

t.test('an application that depends only on React bundles only React', async (t) => {
  const root = createProject({
    '.': { dependencies: list('react') },
    'node_modules/react': {}
  })
  t.same(findReactPackages(root), ['react'])
})
