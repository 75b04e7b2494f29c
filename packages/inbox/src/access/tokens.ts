import { createHash, randomBytes } from 'node:crypto'

/** 32 random bytes: 43 characters of base64url. */
export const createToken = (): string => randomBytes(32).toString('base64url')

export const isToken = (text: unknown): text is string => typeof text === 'string' && /^[\w-]{43}$/.test(text)

/** Hash to store instead of the token. Needs no salt, because 256 random bits cannot be guessed. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')
