/** Milliseconds between updates: of a line on a terminal, and of lines elsewhere, such as in a log. */
const ON_TERMINAL = 200
const ELSEWHERE = 30_000

/** Reports progress on stderr: on a terminal in one line, elsewhere in a line every half minute. */
export function createProgress(verb: string) {
  const { stderr } = process
  const interval = stderr.isTTY ? ON_TERMINAL : ELSEWHERE
  const start = performance.now()
  let shown = start

  /** @param share from 0 to 1 */
  const textOf = (count: number, share: number) => {
    const seconds = (performance.now() - start) / 1_000
    const rate = Math.round(count / Math.max(seconds, 0.001))
    return `${verb} ${count} lines, ${rate}/s, ${Math.min(100, Math.floor(share * 100))} %`
  }

  return {
    update(count: number, share: number) {
      const now = performance.now()
      if (now - shown < interval) return
      shown = now
      stderr.write(stderr.isTTY ? `\r\x1b[K${textOf(count, share)}` : `hull: ${textOf(count, share)}\n`)
    },
    /** Removes the line from a terminal. */
    clear() {
      if (stderr.isTTY) stderr.write('\r\x1b[K')
    }
  }
}
