/**
 * @typedef {object} Totals assertions, as tap counts them
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

/**
 * Converts the TAP of a process that runs test files to one line per file. Below the line of a failed file are its
 * output without the parts that passed, and the exit code or signal of its process.
 * @param {(line: string) => void} print
 */
export function createReport(print) {
  /** @type {string[]} lines of the file that is running */
  let pending = []
  let rest = ''
  /** @type {'before' | 'inside' | 'after'} position relative to the diagnostics that follow a file's result */
  let diagnostics = 'after'
  /** @type {string | undefined} last file with a result */
  let reported

  /** @param {string} line */
  function take(line) {
    if (diagnostics !== 'after' && takeDiagnostics(line)) return
    const file = /^(not )?ok \d+ - (.+?)(?: # time=([\d.]+)ms)?( # SKIP.*)?$/.exec(line)
    if (file) {
      const [, failed, name = '', time, skipped = ''] = file
      reported = name
      print(`${failed ? 'FAILED' : 'ok'}  ${name}${time ? `  ${toSeconds(time)}` : ''}${skipped.toLowerCase()}`)
      if (failed) for (const kept of dropPassed(pending)) print(kept)
      pending = []
      diagnostics = 'before'
      return
    }
    if (/^(TAP version|1\.\.\d+$|# (Subtest|\{ total|time=))/.test(line)) return
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

  function printRest() {
    if (rest) take(rest)
    for (const line of dropPassed(pending)) print(line)
    rest = ''
    pending = []
  }

  return {
    /** @param {Buffer | string} chunk */
    write(chunk) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) take(line)
    },
    /**
     * Prints the result of a file whose process exited before the file was complete.
     * @param {string} file
     * @param {number} milliseconds
     * @param {{ code: number | null, signal: NodeJS.Signals | null }} ending
     */
    fail(file, milliseconds, { code, signal }) {
      if (rest) take(rest)
      rest = ''
      // tap reports a file when its process exits, unless the process is killed.
      if (reported !== file) print(`FAILED  ${file}  ${toSeconds(milliseconds)}`)
      printRest()
      print(signal ? `    signal: ${signal}` : `    exitCode: ${code}`)
    },
    /** Prints output that belongs to no test file. */
    end: printRest
  }
}

/**
 * Prints the last line of the output.
 * @param {Totals} totals
 */
export function printTotals({ passed, failed, skipped }) {
  if (skipped > 0) process.stdout.write(`${skipped} skipped\n`)
  process.stdout.write(`${passed} passed, ${failed} failed\n`)
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

/** @param {string | number} milliseconds */
function toSeconds(milliseconds) {
  return `${(Number(milliseconds) / 1_000).toFixed(1)} s`
}
