/** Error that the user can fix. Its message is printed without a stack. */
export class Trouble extends Error {}

/**
 * Prints one line on stderr, so that stdout only has the program's own output.
 * @param {string} text
 */
export function say(text) {
  process.stderr.write(`hull: ${text}\n`)
}
