import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'

/** Enters new user and mount namespaces as root, and mounts a disk there. */
const MOUNT = 'mount -t tmpfs -o size="$0" tmpfs "$1" && shift && exec "$@"'
const UNSHARE = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', MOUNT]

/**
 * Arguments of a command that mounts a disk of this many MiB on a folder, and then runs the rest of its command line.
 */
export const onSmallDisk = (folder: string, mebibytes: number): string[] => [...UNSHARE, `${mebibytes}m`, folder]

/**
 * The same disk for several processes in turn; it exists until the test ends.
 * @returns the command for each, and a process that sees the disk
 */
export async function keepSmallDisk(t: Test, folder: string, mebibytes: number) {
  const [program = '', ...args] = [...onSmallDisk(folder, mebibytes), 'sh', '-c', 'echo there && exec sleep 600']
  const keeper = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => keeper.kill('SIGKILL'))
  await once(keeper.stdout, 'data')
  const pid = keeper.pid!
  const enter = ['nsenter', '--target', String(pid), '--user', '--mount', '--preserve-credentials']
  // Entering changes to the root folder.
  return { pid, command: [...enter, 'sh', '-c', 'cd "$0" && exec "$@"', process.cwd()] }
}

/** Why this machine cannot mount small disks; false if it can. */
export function lacksSmallDisks(): string | false {
  const [program, ...args] = onSmallDisk('/mnt', 1)
  return spawnSync(program!, [...args, 'true']).status !== 0 && 'nothing may be mounted on this machine'
}

/** The disk, as a process on it sees it. */
export function lookAtDisk(pid: number, folder: string) {
  const path = join(`/proc/${pid}/root`, folder)
  const ballast = join(path, 'ballast')
  return {
    /** Free bytes. */
    get free(): number {
      const { bavail, bsize } = statfsSync(path)
      return bavail * bsize
    },
    /** Fills the disk. */
    fill() {
      const file = openSync(ballast, 'w')
      const bytes = new Uint8Array(64 * 1024)
      try {
        for (;;) writeSync(file, bytes)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
    },
    /** Frees the space again. */
    empty() {
      rmSync(ballast)
    }
  }
}
