import { DatabaseSync } from 'node:sqlite'
import { select } from './inbox-file.ts'

/** Number of projects in the file of an inbox. */
export const countProjects = (file: string): number =>
  Number(select(file, 'SELECT count(*) AS count FROM project')[0]!.count)

/** Adds a project to a file that no process has open. */
export function addProject(file: string): void {
  const db = new DatabaseSync(file)
  db.exec("INSERT INTO project (name, key, created) VALUES ('Later', 'later', 0)")
  db.close()
}
