/** An error that the user can fix; its message is printed without a stack. */
export class UserError extends Error {}

/**
 * Prints one line on stderr, so that stdout has only the output of the program that runs.
 * @param {string} text
 */
export function say(text) {
  process.stderr.write(`hull: ${text}\n`)
}
