import { join } from 'node:path'

export default {
  // Without this, Next looks for lock files above this folder, and finds that of the repository.
  turbopack: { root: join(import.meta.dirname) }
}
