import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** Argon2id with 19 MiB and two passes, the least that OWASP's password storage cheat sheet asks for: 50 to 170 ms on small machines. */
const COST = { parallelism: 1, tagLength: 32, memory: 19 * 1024, passes: 2 }

const derive = promisify(argon2)

/** Tells whether a text is the password. The work is done by a thread, for one text at a time: pages need threads too. */
export function createPasswordCheck(password: string): (given: string) => Promise<boolean> {
  const nonce = randomBytes(16)
  // The same characters are typed in more than one way.
  const hash = (text: string) => derive('argon2id', { ...COST, message: text.normalize('NFC'), nonce })
  const expected = hash(password)
  let last: Promise<unknown> = expected.catch(() => {}) // told by the check that needs it

  return async (given) => {
    const hashed = last.then(() => hash(given))
    last = hashed.catch(() => {})
    return timingSafeEqual(await hashed, await expected)
  }
}
