/** Something a person can mend; its message is the sentence they read, without a stack. */
export class Trouble extends Error {}

/**
 * One line on stderr, so that stdout stays the program's own.
 * @param {string} text
 */
export function say(text) {
  process.stderr.write(`hull: ${text}\n`)
}
