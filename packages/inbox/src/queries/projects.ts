import type { Project } from '../store/model.ts'
import { readProjects } from '../store/projects.ts'
import type { Store } from '../store/store.ts'

/** Those that take something, the application's own first. */
export const listProjects = (store: Store): Project[] => readProjects(store)
