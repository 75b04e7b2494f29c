#!/usr/bin/env node
/* oxlint-disable hull/safe-callbacks -- an unexpected error ends the command and, by the closed channel, the server */
import { spawn, type ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { join, relative, sep } from 'node:path'
import { watchFolder, watchSources, type Watcher } from './folder-watch.ts'

/*
 * The command `hull-dev`: runs `server.ts --dev` of the current folder, and restarts it when a file changes that the
 * server reads once, at its start. Vite updates everything in client/. Not `node --watch`: it watches files, and loses
 * one that an editor or git replaces by another. Here, folders are watched.
 */

const FILES = [
  'server.ts',
  'config.ts',
  'vite.config.ts',
  '.env',
  '.env.local',
  '.env.development',
  '.env.development.local'
]

/** Written when packages were installed. Vite does not look again for one that was missing. */
const LOCKS = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock']

/** Folders with code of the server; `--watch=<folder>` adds one. */
const FOLDERS = ['plugins', 'routes']

/** Milliseconds without further changes before the restart: an editor or git writes several files. A guess. */
const DEBOUNCE = 100

/** Milliseconds until a server that does not end is killed, such as one in an endless loop. A guess. */
const KILL_AFTER = 15_000

const PRELOAD = new URL('./dev-preload.ts', import.meta.url).href

const WATCH_OPTION = '--watch='
const args = process.argv.slice(2)
const root = process.cwd()
const folders = [...FOLDERS, ...args.filter(isWatchOption).map((arg) => arg.slice(WATCH_OPTION.length))]
const watchedInRoot = new Set([...FILES, ...LOCKS, ...folders])

let server: ChildProcess | undefined
let watchers: Watcher[] = []
let timer: NodeJS.Timeout | undefined
let isRestarting = false
/** The signal that ends this command. */
let ending: NodeJS.Signals | undefined

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(signal))
if (process.channel) {
  // The process that started this one has ended.
  process.once('disconnect', () => end('SIGTERM'))
  process.channel.unref()
}
watchFolders()
start()

function start() {
  const flags = [...process.execArgv, '--import', PRELOAD]
  server = spawn(process.execPath, [...flags, 'server.ts', '--dev', ...args.filter((arg) => !isWatchOption(arg))], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc']
  })
  server.once('exit', (code, signal) => {
    server = undefined
    if (ending) process.exit(code ?? 128 + constants.signals[signal!])
    if (isRestarting) start()
    else process.stderr.write('hull: the server has ended. It starts again when one of its files changes.\n')
    isRestarting = false
  })
}

/** @param path of the changed file or folder */
function scheduleRestart(path: string) {
  clearTimeout(timer)
  timer = setTimeout(restart, DEBOUNCE, path)
}

function restart(path: string) {
  // Before the start: the server then reads whatever was written until here, and later changes are noticed.
  watchFolders()
  if (ending || isRestarting) return
  process.stderr.write(`hull: ${toShown(path)} has changed. The server starts again.\n`)
  if (!server) return start()
  isRestarting = true
  stop(server, 'SIGTERM')
}

function stop(running: ChildProcess, signal: NodeJS.Signals) {
  running.kill(signal)
  const kill = setTimeout(() => running.kill('SIGKILL'), KILL_AFTER)
  running.once('exit', () => {
    clearTimeout(kill)
  })
}

function end(signal: NodeJS.Signals) {
  ending = signal
  if (server) stop(server, signal)
  else process.exit(128 + constants.signals[signal])
}

/** Watches the root and the folders with code, which may contain other folders than at the last change. */
function watchFolders() {
  const old = watchers
  watchers = [
    ...watchFolder(root, (name) => watchedInRoot.has(name), scheduleRestart),
    ...folders.flatMap((folder) => watchSources(join(root, folder), scheduleRestart))
  ]
  for (const watcher of old) watcher.close()
}

/** Path from the root, with slashes on Windows too. */
const toShown = (path: string): string => relative(root, path).replaceAll(sep, '/') || 'a file'

function isWatchOption(arg: string): boolean {
  return arg.startsWith(WATCH_OPTION)
}
