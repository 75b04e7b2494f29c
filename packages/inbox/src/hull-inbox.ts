#!/usr/bin/env node
/*
 * The command `hull-inbox`. Checks Node's version first: an older Node fails to import the server, with an unclear
 * error.
 */

const OLDEST_NODE = 24

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `hull-inbox: Node ${OLDEST_NODE} or newer is needed, and this is Node ${process.versions.node}.\n`
  )
  process.exitCode = 1
} else {
  await import('./start.ts')
}

export {}
