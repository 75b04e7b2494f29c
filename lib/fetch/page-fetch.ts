/** fetch as pages see it. Paths and the app's own origin are answered in process; all else goes out by undici. */
export type PageFetch = (input: string | URL, init?: RequestInit) => Promise<Response>

/** Runs `fn` under the retry policy of page data: 1 + 3 attempts inside one deadline. */
export type Retry = <T>(fn: (attempt: { number: number, signal: AbortSignal }) => Promise<T>) => Promise<T>
