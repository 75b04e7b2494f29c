import { toCookieName } from '@hull/common/http/cookie-name.ts'
import cookie, { Signer } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { SessionTooLarge, SessionTooLate } from '../errors.ts'
import { hkdfSync } from 'node:crypto'
import { trustedNow } from '@hull/common/trusted-clock.ts'

/** Data of a visitor's session. Extend it with `declare module '@hull/shell' { interface SessionData { … } }`. */
export interface SessionData {
  /** Id of the signed-in user. */
  user?: string
}

/**
 * Session of a visitor: a signed cookie that is parsed at the first use and written at each change. The visitor can
 * read it.
 */
export interface Session {
  get: <K extends keyof SessionData>(key: K) => SessionData[K]
  /**
   * Stores a value.
   * @throws SessionTooLarge if the session exceeds the size of a cookie
   * @throws SessionTooLate after the response has begun
   */
  set: <K extends keyof SessionData>(key: K, value: SessionData[K]) => void
  /**
   * Sets how long the session lasts after each change, until it is cleared.
   * @default a week
   * @throws RangeError unless `seconds` is a whole number from 1 to 400 days
   * @throws SessionTooLate after the response has begun
   */
  setLifetime: (lifetime: SessionLifetime) => void
  /**
   * Removes all values, the lifetime and the cookie.
   * @throws SessionTooLate after the response has begun
   */
  clear: () => void
  /** Whether this request changed the session. */
  readonly changed: boolean
}

/** How long a session lasts after its last change. */
export interface SessionLifetime {
  /** Seconds, at most 400 days: browsers keep no cookie longer (RFC 6265bis §5.5). */
  seconds: number
  /** Whether the session also ends when the visitor closes the browser. @default false */
  untilClosed?: boolean
}

const kReply = Symbol('reply')
const kSession = Symbol('session')

declare module 'fastify' {
  interface FastifyRequest {
    readonly session: Session
    /** Reply that sets the cookie; null if its headers can no longer change. */
    [kReply]: FastifyReply | null
    [kSession]: Session | null
  }
}

export interface SessionOptions {
  /**
   * Secret that signs cookies; the key of the session is derived from it. Of several, the first signs and the others
   * are accepted: a session that they signed is signed again when it is used.
   */
  secret: string | string[]
  /** Visitors use https: the cookie is Secure and has the prefix `__Host-` (RFC 6265bis §4.1.3). @default false */
  https?: boolean
  /** Path of the application: the cookie is for this path only, with the prefix `__Secure-`. @default the whole origin */
  basePath?: string
}

/** Parses cookies and decorates `request.session`. */
export default fp<SessionOptions>(
  async function session(app, { secret, https = false, basePath = '' }) {
    const name = toCookieName('session', { https, basePath })
    const attributes = { path: basePath || '/', httpOnly: true, sameSite: 'lax', secure: https } as const
    const signer = createSessionSigner(...[secret].flat())
    await app.register(cookie, { secret, parseOptions: attributes, hook: false })

    app.decorateRequest(kReply, null)
    app.decorateRequest(kSession, null)
    app.addHook('onRequest', function readCookies(request, reply, done) {
      const { cookie: header } = request.headers
      request.cookies = header === undefined ? {} : app.parseCookie(header)
      request[kReply] = reply
      done()
    })
    // A stream's headers are final here, although they are sent with its first byte.
    app.addHook('onSend', function sealSession(request, _reply, _payload, done) {
      request[kReply] = null
      done()
    })
    // If sending fails, the error handler sends another answer.
    app.addHook('onError', function unsealSession(request, reply, _error, done) {
      request[kReply] = reply
      done()
    })

    app.decorateRequest('session', {
      getter(this: FastifyRequest): Session {
        return (this[kSession] ??= openSession(this))
      }
    })

    /** @param rest seconds until the session expires */
    function setCookie(
      reply: FastifyReply,
      value: string,
      { lifetime, rest }: { lifetime: SessionLifetime; rest: number }
    ) {
      reply.setCookie(name, signer.sign(value), { ...attributes, ...(!lifetime.untilClosed && { maxAge: rest }) })
    }

    function openSession(request: FastifyRequest): Session {
      // A request that is refused before its cookies are read is answered inside a layout, too.
      const cookies = request.cookies ?? app.parseCookie(request.headers.cookie ?? '')
      const signed = cookies[name]
      const unsigned = signed === undefined ? undefined : signer.unsign(signed)
      let changed = false
      const known = unsigned?.valid ? readSession(unsigned.value) : undefined
      let { data, lifetime } = known ?? EMPTY
      if (known && unsigned?.renew && request[kReply]) setCookie(request[kReply], unsigned.value!, known)

      function write(next: StoredSession) {
        const reply = getReply(request)
        const value = writeSession(next.data, Date.now(), next.lifetime)
        if (value.length > MAX_SESSION_LENGTH) throw new SessionTooLarge(MAX_SESSION_LENGTH)
        ;({ data, lifetime } = next)
        changed = true
        setCookie(reply, value, { lifetime, rest: lifetime.seconds })
      }

      return {
        get changed() {
          return changed
        },
        get: (key) => (Object.hasOwn(data, key) ? (data[key] as never) : undefined),
        set(key, value) {
          write({ data: { ...data, [key]: value }, lifetime })
        },
        setLifetime(next) {
          if (!isLifetime(next)) throw new RangeError('A session lasts a whole number of seconds, from 1 to 400 days')
          write({ data, lifetime: next })
        },
        clear() {
          getReply(request).clearCookie(name, attributes)
          ;({ data, lifetime } = EMPTY)
          changed = true
        }
      }
    }
  },
  { name: 'session', fastify: '5.x' }
)

/** @throws SessionTooLate if the reply's headers can no longer change */
function getReply({ [kReply]: reply }: FastifyRequest): FastifyReply {
  if (reply === null || reply.raw.headersSent) throw new SessionTooLate()
  return reply
}

/** Seconds until a session expires after its last change, unless `setLifetime` was called: one week. */
export const SESSION_LIFETIME = 7 * 24 * 3600

/** Seconds: 400 days. */
const MAX_LIFETIME = 400 * 24 * 3600

interface StoredSession {
  data: Record<string, unknown>
  lifetime: SessionLifetime
}

const EMPTY: StoredSession = { data: {}, lifetime: { seconds: SESSION_LIFETIME } }

function isLifetime({ seconds }: SessionLifetime): boolean {
  return Number.isInteger(seconds) && seconds > 0 && seconds <= MAX_LIFETIME
}

/**
 * Maximum characters of a session's cookie value. Browsers accept 4,096 bytes including name and attributes (RFC 6265
 * §6.1).
 */
const MAX_SESSION_LENGTH = 3_500

/**
 * Signs sessions with a separate key. A signature does not say what it is for: if the secret itself signed sessions,
 * any other cookie signed by the application could be used as one. The first secret signs.
 */
export const createSessionSigner = (...secrets: string[]): Signer =>
  new Signer(secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'hull session', 32))))

/** Returns data, lifetime and expiry as a cookie value, not yet signed. */
export function writeSession(
  data: Record<string, unknown>,
  now = Date.now(),
  lifetime: SessionLifetime = EMPTY.lifetime
): string {
  const until = Math.floor(now / 1000) + lifetime.seconds
  return Buffer.from(JSON.stringify({ data, until, ...(lifetime !== EMPTY.lifetime && { lifetime }) })).toString(
    'base64url'
  )
}

/**
 * Returns the session of a cookie value with a verified signature; undefined if it has expired or the value is not a
 * session. `rest` is in seconds.
 */
function readSession(value: string): (StoredSession & { rest: number }) | undefined {
  const now = trustedNow()
  try {
    const {
      data,
      until,
      lifetime = EMPTY.lifetime
    } = JSON.parse(Buffer.from(value, 'base64url').toString()) as Partial<StoredSession> & { until?: unknown }
    if (typeof until !== 'number' || until * 1000 <= now || typeof data !== 'object' || data === null) return undefined
    return { data, lifetime, rest: Math.ceil(until - now / 1000) }
  } catch {
    return undefined
  }
}
