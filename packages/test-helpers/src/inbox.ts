import { DatabaseSync } from 'node:sqlite'
import type { FastifyInstance } from 'fastify'

/** Waits until so many items of a type were stored. */
export async function stored(app: FastifyInstance, type: string, count = 1): Promise<void> {
  while ((app.inbox!.stats().stored[type] ?? 0) < count) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Stores what the server's SDK holds. @returns items stored since the start */
export async function countStored(app: FastifyInstance): Promise<number> {
  await app.telemetry!.flush(60_000)
  return Object.values(app.inbox!.stats().stored).reduce((sum, count) => sum + count, 0)
}

/** Projects in an inbox's file. */
export function countProjects(file: string): number {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return Number(db.prepare('SELECT count(*) AS count FROM project').get()!.count)
  } finally {
    db.close()
  }
}

/** Adds a project to a file that nobody has open. */
export function addProject(file: string): void {
  const db = new DatabaseSync(file)
  db.exec("INSERT INTO project (name, key, created) VALUES ('Later', 'later', 0)")
  db.close()
}
