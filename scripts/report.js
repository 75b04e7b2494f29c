/**
 * @typedef {object} Totals assertions, as tap counts them
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

/**
 * Prints one line for a test file; below a failed one what it printed, without the parts that passed.
 * @param {{ file: string, ok: boolean, lines: string[], seconds: number }} result
 * @param {(line: string) => void} print
 */
export function reportFile({ file, ok, lines, seconds }, print) {
  print(`${ok ? 'ok' : 'FAILED'}  ${file}  ${seconds.toFixed(1)} s`)
  if (ok) return
  for (const line of dropPassed(lines)) {
    if (!/^(TAP version|# (No coverage|\{ total))/.test(line)) print(`    ${line}`)
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
