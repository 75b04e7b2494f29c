/** What the application keeps in a visitor's session; extend it by declaration merging. */
export interface SessionData {
  /** Shown in the lab; a team's own sign-in replaces it. */
  user?: string
}

/** A visitor's session: a signed cookie, read on first use. */
export interface Session {
  get: <K extends keyof SessionData>(key: K) => SessionData[K]
  set: <K extends keyof SessionData>(key: K, value: SessionData[K]) => void
  /** Forgets everything and removes the cookie. */
  clear: () => void
}
