/**
 * @typedef {object} Totals assertions, as tap counts them
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

/**
 * Converts tap's TAP output to a line per test file, and keeps the totals. Below a failed file: its output without the
 * parts that passed, then how its process ended.
 * @param {(line: string) => void} print
 */
export function createReport(print) {
  /** @type {string[]} lines of the file that is running */
  let pending = []
  let rest = ''
  /** @type {'before' | 'inside' | 'after'} position relative to the diagnostics that follow a file's result */
  let diagnostics = 'after'
  /** @type {Totals | undefined} */
  let totals
  /** @type {Set<string>} */
  const reported = new Set()

  /** @param {string} line */
  function take(line) {
    if (diagnostics !== 'after' && takeDiagnostics(line)) return
    const file = /^(not )?ok \d+ - (.+?)(?: # time=([\d.]+)ms)?( # SKIP.*)?$/.exec(line)
    if (file) {
      const [, failed, name = '', time, skipped = ''] = file
      reported.add(name)
      print(`${failed ? 'FAILED' : 'ok'}  ${name}${time ? `  ${toSeconds(time)}` : ''}${skipped.toLowerCase()}`)
      if (failed) for (const kept of dropPassed(pending)) print(kept)
      pending = []
      diagnostics = 'before'
      return
    }
    totals = parseTotals(line) ?? totals
    if (/^(TAP version|1\.\.\d+$|# (Subtest|No coverage|\{ total|time=))/.test(line)) return
    pending.push(line)
  }

  /** @param {string} line */
  function takeDiagnostics(line) {
    if (diagnostics === 'before') {
      diagnostics = line === '  ---' ? 'inside' : 'after'
      return diagnostics === 'inside'
    }
    if (line === '  ...') diagnostics = 'after'
    else if (!isCommandDetail(line)) print(`  ${line}`)
    return true
  }

  return {
    /** Test files with a result so far, by tap's names. */
    reported,
    /** @param {Buffer | string} chunk */
    write(chunk) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) take(line)
    },
    /** Prints output that belongs to no test file, such as an error of tap itself. */
    end() {
      if (rest) take(rest)
      for (const line of dropPassed(pending)) print(line)
      return totals
    }
  }
}

/**
 * tap's summary line: `# { total: 4, pass: 2, fail: 1, skip: 1 }`, without zeros.
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
 * Removes every assertion that passed, and every subtest that passed with its content.
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
 * Whether a line of diagnostics only describes how the process was started, or is empty.
 * @param {string} line
 */
function isCommandDetail(line) {
  return /^ {2}(stdio|cwd|externalID|command|args|jobId):|^ {4}- |: null$/.test(line)
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
