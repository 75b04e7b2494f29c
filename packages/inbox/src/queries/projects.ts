import type { Project } from '../model.ts'
import { readProjects } from '../projects.ts'
import type { Store } from '../store.ts'

/** Those that take something, the application's own first. */
export const listProjects = (store: Store): Project[] => readProjects(store)
