import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ExportFolder } from '../../errors.ts'
import { isServed } from '../../plugins/assets.ts'
import type { ExportedFile } from './export-pages.ts'

/** File of every export. With it, the next export may replace the folder. */
const MARK = '-/export.json'

/**
 * Opens a folder beside the target, with the files of the build. `finish` puts it into the place of the target, so that
 * a failed export leaves the last one as it is.
 * @param target new, empty, or of an earlier export
 * @param dist folder of the build
 * @throws ExportFolder
 */
export function openExport(target: string, dist: string) {
  if (existsSync(target) && readdirSync(target).length > 0 && !existsSync(join(target, MARK)))
    throw new ExportFolder(target)
  const draft = `${target}-${process.pid}`
  const client = join(dist, 'client')
  try {
    cpSync(client, draft, { recursive: true, filter: (path) => isServed(path.slice(client.length + 1)) })
    write({ path: MARK, content: '{}' })
  } catch (error) {
    discard()
    throw error
  }
  return { write, finish, discard }

  function discard(): void {
    rmSync(draft, { recursive: true, force: true })
  }

  function write({ path, content }: ExportedFile): void {
    const file = join(draft, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }

  /** Moves the last export aside first: a folder that cannot be moved, such as a mounted one, stays as it is. */
  function finish(): void {
    const last = `${draft}-last`
    if (existsSync(target)) renameSync(target, last)
    try {
      renameSync(draft, target)
    } catch (error) {
      if (existsSync(last)) renameSync(last, target)
      throw error
    }
    rmSync(last, { recursive: true, force: true })
  }
}
