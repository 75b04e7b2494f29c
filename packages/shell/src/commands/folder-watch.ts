/* oxlint-disable hull/safe-callbacks -- an unexpected error ends the command and, by the closed channel, the server */
import { readdirSync, realpathSync, statSync, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Milliseconds between two looks at the files where the system reports no changes. A guess. */
const POLL_INTERVAL = 500

/** Vite's own switch, for mounts whose files another system changes: those of Docker on Windows, and network folders. */
// oxlint-disable-next-line node/no-process-env -- chokidar, which Vite uses, reads it there
const POLLS = /^(1|true)$/i.test(process.env['CHOKIDAR_USEPOLLING'] ?? '')

export interface Watcher {
  close: () => void
}

type IsWatched = (name: string) => boolean

/** Receives the path of the changed file, or of its folder if the system does not say which file it is. */
type OnChange = (path: string) => void

/** Watches a folder with all folders in it, except for files that are no sources. */
export const watchSources = (folder: string, onChange: OnChange): Watcher[] =>
  listFolders(folder).flatMap((path) => watchFolder(path, isSource, onChange))

/** Watches the entries of a folder, and the files that links in it lead to. */
export const watchFolder = (folder: string, isWatched: IsWatched, onChange: OnChange): Watcher[] => [
  ...watchEntries(folder, isWatched, onChange),
  ...listLinked(folder, isWatched).flatMap((file) =>
    watchEntries(dirname(file), (name) => name === basename(file), onChange)
  )
]

/** @returns no watcher if the folder was removed in the meantime */
function watchEntries(folder: string, isWatched: IsWatched, onChange: OnChange): Watcher[] {
  if (POLLS) return [pollEntries(folder, isWatched, onChange)]
  try {
    const watcher = watch(folder, (_event, name) => {
      if (name === null || isWatched(name)) onChange(join(folder, name ?? ''))
    })
    return [watcher.on('error', () => onChange(folder))]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function pollEntries(folder: string, isWatched: IsWatched, onChange: OnChange): Watcher {
  let before = describe()
  const timer = setInterval(function compare() {
    const now = describe()
    if (now !== before) onChange(folder)
    before = now
  }, POLL_INTERVAL)
  return { close: () => clearInterval(timer) }

  function describe(): string {
    try {
      const names = readdirSync(folder).filter(isWatched)
      return names
        .map((name) => {
          const { mtimeMs, size, ino } = statSync(join(folder, name))
          return [name, mtimeMs, size, ino].join(' ')
        })
        .join('\n')
    } catch {
      // The folder, or a file in it, was removed in the meantime.
      return ''
    }
  }
}

/** @param around real paths of the folders around it, to which a link may lead back */
function listFolders(folder: string, around: readonly string[] = []): string[] {
  const found = follow(folder)
  if (!found?.isFolder || around.includes(found.real)) return []
  const inner = readFolder(folder).filter((entry) => isSource(entry.name) && !entry.isFile())
  return [folder, ...inner.flatMap(({ name }) => listFolders(join(folder, name), [...around, found.real]))]
}

/** Files that links in a folder lead to: their changes are not changes of the folder. */
function listLinked(folder: string, isWatched: IsWatched): string[] {
  const links = readFolder(folder).filter((entry) => entry.isSymbolicLink() && isWatched(entry.name))
  const found = links.map(({ name }) => follow(join(folder, name)))
  return found.flatMap((target) => (target && !target.isFolder ? [target.real] : []))
}

/** @returns no entries if the folder is missing, or was removed in the meantime */
function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** @returns undefined if nothing is there, or a link leads nowhere */
function follow(path: string): { real: string; isFolder: boolean } | undefined {
  try {
    return { real: realpathSync(path), isFolder: statSync(path).isDirectory() }
  } catch {
    return undefined
  }
}

/** False for hidden files and for those of packages, of builds and of editors. */
function isSource(name: string): boolean {
  return !name.startsWith('.') && !name.endsWith('~') && name !== 'node_modules' && name !== 'dist'
}
