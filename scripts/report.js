/**
 * @typedef {object} Totals assertions, as tap counts them
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

/**
 * Turns tap's TAP into a line per test file, with the failed tests of a file below it, and keeps the totals.
 * A file that passes is one line; what a failed one printed is shown, but for its parts that passed.
 * @param {(line: string) => void} print
 */
export function createReport(print) {
  /** @type {string[]} lines of the file that is running */
  let pending = []
  let rest = ''
  /** @type {Totals | undefined} */
  let totals

  /** @param {string} line */
  function take(line) {
    const file = /^(not )?ok \d+ - (.+?)(?: # time=([\d.]+)ms)?( # SKIP.*)?$/.exec(line)
    if (file) {
      const [, failed, name, time, skipped = ''] = file
      print(`${failed ? 'FAILED' : 'ok'}  ${name}${time ? `  ${toSeconds(time)}` : ''}${skipped.toLowerCase()}`)
      if (failed) for (const kept of dropPassed(pending)) print(kept)
      pending = []
      return
    }
    totals = parseTotals(line) ?? totals
    if (/^(TAP version|1\.\.\d+$|# (Subtest|No coverage|\{ total|time=))/.test(line)) return
    pending.push(line)
  }

  return {
    /** @param {Buffer | string} chunk */
    write(chunk) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) take(line)
    },
    /** Prints what no test file claimed, such as tap's word that no file matched. */
    end() {
      if (rest) take(rest)
      for (const line of dropPassed(pending)) print(line)
      return totals
    }
  }
}

/**
 * tap's last words: `# { total: 4, pass: 2, fail: 1, skip: 1 }`, without what is zero.
 * @param {string} line
 * @returns {Totals | undefined}
 */
export function parseTotals(line) {
  const counts = /^# \{ (total: \d+.*) \}$/.exec(line)?.[1]
  if (counts === undefined) return undefined
  const count = (/** @type {string} */ name) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(counts)?.[1] ?? 0)
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip') + count('todo') }
}

/**
 * Leaves out every assertion that passed and every subtest that passed with all that is in it.
 * @param {string[]} lines
 */
function dropPassed(lines) {
  /** @type {string[]} */
  const kept = []
  for (const line of lines) {
    const passed = /^( *)ok \d+/.exec(line)
    if (passed) {
      const depth = passed[1]?.length ?? 0
      while (kept.length > 0 && isDeeper(kept.at(-1), depth)) kept.pop()
      if (kept.at(-1)?.startsWith(`${' '.repeat(depth)}# Subtest`)) kept.pop()
    } else if (line.trim() !== '' && !/^ *(\d+\.\.\d+|# time=.*)$/.test(line)) {
      kept.push(line)
    }
  }
  return kept
}

/**
 * @param {string | undefined} line
 * @param {number} depth
 */
function isDeeper(line = '', depth = 0) {
  return line.length - line.trimStart().length > depth
}

/** @param {string} milliseconds */
function toSeconds(milliseconds) {
  return `${(Number(milliseconds) / 1_000).toFixed(1)} s`
}
