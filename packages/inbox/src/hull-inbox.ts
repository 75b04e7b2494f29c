#!/usr/bin/env node
/* The command `hull-inbox`. An older Node could not load what the server imports, and its error would not say why. */

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
