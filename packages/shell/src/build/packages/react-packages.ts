import { findPackageFolder, readManifest } from './installed-packages.ts'

interface Package {
  name: string
  needs: Package[]
}

/**
 * Returns the names of the installed packages that share React with the pages, and so belong into the server's bundle
 * with React: React itself, its direct and indirect dependents, and the packages that only those need.
 * @param root the project's folder
 * @see docs/decisions/039-one-react.md
 */
export function findReactPackages(root: string): string[] {
  const known = new Map<string, Package>()
  const { dependencies, devDependencies } = readManifest(root)
  const direct = Object.keys({ ...dependencies, ...devDependencies }).flatMap((name) => findPackage(name, root) ?? [])

  const users = new Set<Package>()
  for (const found of known.values()) if (found.name === 'react' || found.name === 'react-dom') users.add(found)
  for (let size = -1; size !== users.size;) {
    size = users.size
    for (const found of known.values()) if (found.needs.some((need) => users.has(need))) users.add(found)
  }
  // Not the application's direct dependencies: its server may import them too, and would have another copy.
  const own = new Set(direct.filter((found) => !users.has(found)).map(({ name }) => name))
  const bundled = new Set(users)
  for (const found of bundled) for (const need of found.needs) bundled.add(need)
  return [...new Set([...bundled].map(({ name }) => name))].filter((name) => !own.has(name)).sort()

  function findPackage(name: string, from: string): Package | undefined {
    const folder = findPackageFolder(name, from)
    if (folder === undefined) return undefined
    let found = known.get(folder)
    if (found) return found
    found = { name, needs: [] }
    known.set(folder, found)
    const { dependencies, peerDependencies } = readManifest(folder)
    found.needs = Object.keys({ ...dependencies, ...peerDependencies }).flatMap(
      (need) => findPackage(need, folder) ?? []
    )
    return found
  }
}
