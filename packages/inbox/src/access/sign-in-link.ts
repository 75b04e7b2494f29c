import { SIGN_IN_LINK_LIFETIME } from './times.ts'
import { createToken, hashToken, isToken } from './tokens.ts'

/** Token that can be used once within its lifetime. */
export interface SignInLink {
  /** Returns the token. Call it once: afterwards only the hash is kept. @throws Error on the second call */
  takeToken: () => string
  /** Whether {@link spend} would accept the token now. */
  isGood: (token: unknown) => boolean
  /** Uses the token up. @returns whether it was valid */
  spend: (token: unknown) => boolean
  /** Makes a used token valid again, because the sign-in failed afterwards. */
  restore: () => void
}

/** @param now milliseconds of a monotonic clock */
export function createSignInLink(now: () => number = () => performance.now()): SignInLink {
  let token: string | undefined = createToken()
  const hash = hashToken(token)
  const end = now() + SIGN_IN_LINK_LIFETIME
  let isSpent = false

  // Compares hashes, so that the comparison's duration reveals nothing about the token.
  const isGood = (given: unknown) => isToken(given) && hashToken(given) === hash && !isSpent && now() < end

  return {
    takeToken() {
      if (token === undefined) throw new Error('the token was given out')
      const given = token
      token = undefined
      return given
    },
    isGood,
    spend(given) {
      if (!isGood(given)) return false
      return (isSpent = true)
    },
    restore() {
      isSpent = false
    }
  }
}
