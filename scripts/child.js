import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { UserError } from './say.js'

/** @type {NodeJS.Signals[]} */
const PASSED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Milliseconds during which the same signal counts once: on Ctrl-C both the terminal and npm send it. */
const SIGNAL_ECHO = 500

/** Milliseconds between two checks whether npm still runs. */
const PARENT_POLL = 250

/** The process that started this one. */
const ORIGIN = getOrigin()

/**
 * @typedef {object} ChildOptions
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} [env]
 * @property {boolean} [capture] collect stdout and stderr instead of showing them
 * @property {boolean} [apart] start in a process group of its own, with an IPC channel that closes when this process
 * exits. Each signal then reaches the child once, from this process. A server treats the second signal as "exit at
 * once"
 * @property {number} [timeout] milliseconds until the child and its descendants are killed
 * @property {boolean} [shell]
 */

/**
 * @typedef {object} Ending
 * @property {number | null} code
 * @property {NodeJS.Signals | null} signal that ended the child
 * @property {NodeJS.Signals | null} received signal that this process received in the meantime
 * @property {string} output collected by `capture`
 */

/**
 * Runs a program until it exits, and passes signals on to it.
 * @param {string} command
 * @param {string[]} args
 * @param {ChildOptions} options
 * @returns {Promise<Ending>}
 */
export function runChild(command, args, { cwd, env, capture = false, apart = false, timeout, shell = false }) {
  const out = capture ? 'pipe' : 'inherit'
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
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))

  /** @type {NodeJS.Signals | null} */
  let received = null
  let receivedAt = 0
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => {
    if (signal === received && Date.now() - receivedAt < SIGNAL_ECHO) return
    received = signal
    receivedAt = Date.now()
    child.kill(signal)
  }
  for (const signal of PASSED_SIGNALS) process.on(signal, pass)

  const watch =
    process.env['npm_lifecycle_event'] &&
    setInterval(() => {
      if (getOrigin() === ORIGIN) return
      clearInterval(watch)
      if (received === null) pass('SIGTERM')
    }, PARENT_POLL)
  const timer = timeout && setTimeout(() => kill(child.pid, group), timeout)

  return new Promise((resolve, reject) => {
    child.once('error', () => {
      reject(new UserError(`${command} could not be started. Check that it exists and runs on this machine.`))
    })
    // 'close' waits for the pipes, which a grandchild may keep open. 'exit' is enough for a child whose output is shown.
    child.once(out === 'pipe' ? 'close' : 'exit', (code, signal) => resolve({ code, signal, received, output }))
  }).finally(() => {
    clearTimeout(timer)
    clearInterval(watch)
    for (const signal of PASSED_SIGNALS) process.off(signal, pass)
  })
}

/** Thrown when a signal arrives during a step; it stops the command. */
export class Stopped extends Error {
  /** @param {NodeJS.Signals} signal */
  constructor(signal) {
    super(`stopped by ${signal}`)
    this.signal = signal
  }
}

/**
 * Runs one step of a command.
 * @param {Parameters<typeof runChild>} step
 * @throws {Stopped} if a signal arrives in the meantime
 */
export async function runStep(...step) {
  const ending = await runChild(...step)
  if (ending.received) throw new Stopped(ending.received)
  return ending
}

/**
 * Ends this process as the child ended: with the same exit code or signal.
 * @param {Pick<Ending, 'code' | 'signal'>} ending
 */
export function exitAs({ code, signal }) {
  process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0)
  if (signal && PASSED_SIGNALS.includes(signal)) process.kill(process.pid, signal)
}

/**
 * The parent of this process and, if /proc shows it, the npm process above the parent. Between npm and this process is
 * a shell that exits on SIGTERM without passing it on, and that survives a killed npm. In both cases the server would
 * keep running.
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
    // The process exited at the same moment.
  }
}
