import { DatabaseSync } from 'node:sqlite'

/** Projects in an inbox's file. */
export function countProjects(file: string): number {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return Number(db.prepare('SELECT count(*) AS count FROM project').get()!.count)
  } finally {
    db.close()
  }
}

/** Adds a project to a file that no process has open. */
export function addProject(file: string): void {
  const db = new DatabaseSync(file)
  db.exec("INSERT INTO project (name, key, created) VALUES ('Later', 'later', 0)")
  db.close()
}
