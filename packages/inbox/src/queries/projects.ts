import type { Project } from '../store/model.ts'
import { readProjects } from '../store/projects.ts'
import type { Store } from '../store/store.ts'
import { canSee } from './scope.ts'

/** Projects that accept envelopes. The application's own project is first. */
export const listProjects = (store: Store): Project[] => readProjects(store).filter(({ id }) => canSee(store, id))
