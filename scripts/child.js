import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { Trouble } from './say.js'

/** @type {NodeJS.Signals[]} */
const PASSED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Milliseconds in which the same signal counts once: on Ctrl-C the terminal sends it, and npm sends it again. */
const SIGNAL_ECHO = 500

/** Milliseconds between two looks at whether npm is still there. */
const PARENT_POLL = 250

/** Who started us, at the time. */
const ORIGIN = getOrigin()

/**
 * @typedef {object} ChildOptions
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} [env]
 * @property {boolean} [capture] collect stdout and stderr instead of showing them
 * @property {(chunk: Buffer) => void} [onStdout] take stdout, show stderr
 * @property {boolean} [apart] a process group of its own and an IPC channel that closes when we die: each
 *   signal then reaches the child once, from us, and a server takes the second one as "at once"
 * @property {number} [timeout] milliseconds until the child and all it started are killed
 * @property {boolean} [shell]
 */

/**
 * @typedef {object} Ending
 * @property {number | null} code
 * @property {NodeJS.Signals | null} signal that ended the child
 * @property {NodeJS.Signals | null} asked the signal that we were sent meanwhile
 * @property {string} output what `capture` collected
 */

/**
 * Runs a program to its end and passes signals on to it.
 * @param {string} command
 * @param {string[]} args
 * @param {ChildOptions} options
 * @returns {Promise<Ending>}
 */
export function runChild(
  command,
  args,
  { cwd, env, capture = false, onStdout, apart = false, timeout, shell = false }
) {
  const out = capture || onStdout ? 'pipe' : 'inherit'
  const group = (apart || timeout !== undefined) && process.platform !== 'win32'
  const child = spawn(command, args, {
    cwd,
    env: env ?? process.env,
    shell,
    detached: group,
    stdio: [
      capture ? 'ignore' : 'inherit',
      out,
      capture ? 'pipe' : 'inherit',
      ...(apart ? /** @type {const} */ (['ipc']) : [])
    ]
  })

  let output = ''
  child.stdout?.on('data', onStdout ?? ((chunk) => (output += chunk)))
  child.stderr?.on('data', (chunk) => (output += chunk))

  /** @type {NodeJS.Signals | null} */
  let asked = null
  let askedAt = 0
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => {
    if (signal === asked && Date.now() - askedAt < SIGNAL_ECHO) return
    asked = signal
    askedAt = Date.now()
    child.kill(signal)
  }
  for (const signal of PASSED_SIGNALS) process.on(signal, pass)

  const watch =
    process.env['npm_lifecycle_event'] &&
    setInterval(() => {
      if (getOrigin() === ORIGIN) return
      clearInterval(watch)
      if (asked === null) pass('SIGTERM')
    }, PARENT_POLL)
  const timer = timeout && setTimeout(() => kill(child.pid, group), timeout)

  return new Promise((resolve, reject) => {
    child.once('error', () => {
      reject(new Trouble(`${command} could not be started. Check that it exists and runs on this machine.`))
    })
    // 'close' waits for the pipes, which a grandchild may hold open; 'exit' is when a shown child is done
    child.once(out === 'pipe' ? 'close' : 'exit', (code, signal) => resolve({ code, signal, asked, output }))
  }).finally(() => {
    clearTimeout(timer)
    clearInterval(watch)
    for (const signal of PASSED_SIGNALS) process.off(signal, pass)
  })
}

/** A signal that ended a step: the command stops with it. */
export class Stopped extends Error {
  /** @param {NodeJS.Signals} signal */
  constructor(signal) {
    super(`stopped by ${signal}`)
    this.signal = signal
  }
}

/**
 * Runs one step of a command; a signal meanwhile stops the command.
 * @param {Parameters<typeof runChild>} step
 */
export async function runStep(...step) {
  const ending = await runChild(...step)
  if (ending.asked) throw new Stopped(ending.asked)
  return ending
}

/**
 * Ends this process as the child ended: the same exit code, or the same signal.
 * @param {Pick<Ending, 'code' | 'signal'>} ending
 */
export function exitAs({ code, signal }) {
  process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0)
  if (signal && PASSED_SIGNALS.includes(signal)) process.kill(process.pid, signal)
}

/**
 * Parent and, where /proc tells it, the npm above it. Between npm and us stands a shell that dies of SIGTERM
 * without passing it on, and that outlives an npm that was killed: both would leave the server behind.
 */
function getOrigin() {
  const shell = readParent(process.ppid, /^(sh|dash|bash|ash|busybox)$/)
  return `${process.ppid} ${shell}`
}

/**
 * @param {number} pid
 * @param {RegExp} command
 * @returns {string | undefined} parent of a process that runs `command`
 */
function readParent(pid, command) {
  try {
    // proc_pid_stat(5): pid (command) state parent …
    const [, name = '', parent] = /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return command.test(name) ? parent : undefined
  } catch {
    return undefined
  }
}

/**
 * @param {number | undefined} pid
 * @param {boolean} group
 */
function kill(pid, group) {
  if (pid === undefined) return
  try {
    process.kill(group ? -pid : pid, 'SIGKILL')
  } catch {
    // it ended in the same moment
  }
}
