import { SIGN_IN_LINK_LIFETIME } from './times.ts'
import { createToken, hashToken, isToken } from './tokens.ts'

/** A token that is good once, and for a while. */
export interface SignInLink {
  /** Gives it out, once; from then on only its hash is left. */
  takeToken: () => string
  /** Whether it would be taken now. */
  isGood: (token: unknown) => boolean
  /** Takes it. @returns whether it was good */
  spend: (token: unknown) => boolean
  /** Takes the spending back: it led to nothing. */
  restore: () => void
}

/** @param now milliseconds on a clock that never goes back */
export function createSignInLink(now: () => number = () => performance.now()): SignInLink {
  let token: string | undefined = createToken()
  const hash = hashToken(token)
  const end = now() + SIGN_IN_LINK_LIFETIME
  let isSpent = false

  // Hashes are compared: how far two of them agree says nothing about the token.
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
