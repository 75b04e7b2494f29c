#!/usr/bin/env node
/*
 * The command `hull-inbox`. Checks Node's version first: an older Node fails to import the server, with an unclear
 * error.
 */

/** As in `engines` of the published package. */
const OLDEST_NODE = '24.21'

if (process.versions.node.localeCompare(OLDEST_NODE, 'en', { numeric: true }) < 0) {
  process.stderr.write(
    `hull-inbox: Node ${OLDEST_NODE} or newer is needed, and this is Node ${process.versions.node}.\n`
  )
  process.exitCode = 1
} else {
  await import('./start.ts')
}

export {}
