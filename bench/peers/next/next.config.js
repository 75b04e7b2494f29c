import { join } from 'node:path'

export default {
  // without it Next looks for lock files above this folder and takes the repository's
  turbopack: { root: join(import.meta.dirname) }
}
