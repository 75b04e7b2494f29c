import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'

/** The least that OWASP recommends for argon2id: 19 MiB, two passes, one lane. 60 ms on a small server. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>

/** Returns a password's hash by argon2id in the PHC format, as other libraries write it: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const hash = await derive('argon2id', { ...COST, message: toMessage(password), nonce })
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${toText(nonce)}$${toText(hash)}`
}

/**
 * Compares a password with a hash of {@link hashPassword}. Uses the cost in the hash, so hashes with an earlier cost stay valid.
 * @throws Error if it is not a hash by argon2id
 */
export async function verifyPassword(password: string, phc: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, expected] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(phc) ?? []
  if (salt === undefined || expected === undefined) throw new Error('The stored hash is not an argon2id hash')
  const wanted = Buffer.from(expected, 'base64')
  const hash = await derive('argon2id', {
    message: toMessage(password),
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: wanted.length
  })
  return timingSafeEqual(hash, wanted)
}

/** The same letters can be composed in several ways. */
const toMessage = (password: string): string => password.normalize('NFC')

const toText = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
