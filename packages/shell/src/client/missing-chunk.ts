/** Texts of Chromium, Firefox, Safari and Vite. The errors have neither a name nor a code. */
const MISSING_CHUNK =
  /dynamically imported module|Importing a module script failed|Unable to preload CSS|is not a valid JavaScript MIME type/

/** Whether a file of the build could not be loaded, such as one that a deploy has removed. */
export const isMissingChunk = (error: unknown): error is Error =>
  error instanceof Error && MISSING_CHUNK.test(error.message)
