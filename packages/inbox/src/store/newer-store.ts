/** Error thrown if a newer Hull has migrated the file or database. */
export class NewerStore extends Error {
  override name = 'NewerStore'
}
