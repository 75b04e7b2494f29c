import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** How to start a contender's server. */
export interface Launch {
  /** Arguments of node. */
  args: string[]
  cwd: string
  /** Environment of the process; only PATH is inherited. */
  env: Record<string, string>
  /** File for stdout and stderr. @default stdout and stderr of this process */
  log?: string
}

// The clock tick of /proc is 1/100 s on every architecture that Node supports; see <linux/param.h>.
const MS_PER_TICK = 10
const KIBIBYTE = 1024
/** Milliseconds for a server to close its connections after SIGTERM, before SIGKILL. */
const STOP_TIMEOUT = 5_000

const running = new Set<ChildProcess>()

/**
 * Starts Node with `args`.
 * @param options.core core, or list of cores in the syntax of `taskset`, to which the process is pinned
 * @param options.ipc opens an IPC channel to the process
 */
export function startNode(
  { args, cwd, env, log }: Launch,
  { core, ipc = false }: { core?: number | string; ipc?: boolean } = {}
): ChildProcess {
  const command = [process.execPath, ...args]
  if (core !== undefined) command.unshift('taskset', '--cpu-list', String(core))
  const output = log === undefined ? 'inherit' : openSync(log, 'w')
  const child = spawn(command[0]!, command.slice(1), {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ipc ? ['ignore', output, output, 'ipc'] : ['ignore', output, output]
  })
  if (typeof output === 'number') closeSync(output)
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Terminates a process and its descendants, by their process ids. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exited = once(child, 'exit')
  const tree = listTree(child.pid)
  child.kill('SIGTERM')
  const timer = setTimeout(() => tree.forEach(killHard), STOP_TIMEOUT)
  await exited
  clearTimeout(timer)
  tree.slice(1).forEach(killHard)
}

export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(stopProcess))
}

/** Kills all processes synchronously, for the `exit` event of this process. */
export function killAll(): void {
  for (const { pid } of running) if (pid !== undefined) listTree(pid).forEach(killHard)
}

/** Milliseconds of CPU, user and system, that a process and its children have used. */
export function readCpu(pid: number): number {
  const [utime, stime, ofReapedChildren, systemOfReapedChildren] = [11, 12, 13, 14]
  return (
    sumOverTree(pid, (id) => {
      const stat = readStat(id)
      return [utime, stime, ofReapedChildren, systemOfReapedChildren].reduce(
        (sum, field) => sum + Number(stat?.[field] ?? 0),
        0
      )
    }) * MS_PER_TICK
  )
}

/** A process counts as idle if it uses at most `cpu` milliseconds of CPU in `milliseconds`. */
const IDLE = { milliseconds: 1_500, cpu: 20 }

/** Waits until a process is idle. */
export async function untilIdle(pid: number): Promise<void> {
  for (let before = -Infinity, now = readCpu(pid); now - before > IDLE.cpu; now = readCpu(pid)) {
    before = now
    await sleep(IDLE.milliseconds)
  }
}

/** Bytes of resident memory of a process and its children. */
export const readMemory = (pid: number): number => sumOverTree(pid, (id) => readStatus(id, 'VmRSS')) * KIBIBYTE

/** Peak of the resident memory of a process since its start, in bytes, without its children. */
export const readPeakMemory = (pid: number): number => readStatus(pid, 'VmHWM') * KIBIBYTE

/** Reads a value in KiB from /proc/<pid>/status. */
const readStatus = (pid: number, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(tryRead(`/proc/${pid}/status`) ?? '')?.[1] ?? 0)

/** Cores that this process may use; in a container there may be fewer than the machine has. */
export function listCores(): number[] {
  const list = /^Cpus_allowed_list:\s+(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]!
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number)
    return Array.from({ length: last! - first! + 1 }, (_, index) => first! + index)
  })
}

/**
 * Pins this process, and processes that it starts later, to some cores.
 * @returns false if `taskset` is not installed
 */
export function pinSelf(...cores: number[]): boolean {
  try {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores.join(','), String(process.pid)], {
      stdio: 'ignore'
    })
    return true
  } catch {
    return false
  }
}

function sumOverTree(pid: number, read: (pid: number) => number): number {
  return listTree(pid).reduce((sum, id) => sum + read(id), 0)
}

function listTree(root: number): number[] {
  const tree = [root]
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined
    if (stat) parents.set(Number(name), Number(stat[1]))
  }
  for (const id of tree) for (const [child, parent] of parents) if (parent === id) tree.push(child)
  return tree
}

/** Fields of /proc/<pid>/stat after the command, which may contain spaces and brackets; field 0 is the state. */
function readStat(pid: number): string[] | undefined {
  const stat = tryRead(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Reads a file of /proc. @returns undefined if the process has exited since it was listed */
function tryRead(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already exited.
  }
}

/** Writes cached data to the disk, so that this work does not slow down later measurements. */
export function flushDisk(): void {
  execFileSync('sync')
}
