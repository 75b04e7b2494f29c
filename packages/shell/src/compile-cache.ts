import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'

/*
 * A preload, as in `node --import=@hull/shell/compile-cache server.ts`: caches compiled code in `.hull/compile-cache`
 * of the current folder, or in NODE_COMPILE_CACHE, which Node reads itself. A start without the cache takes nearly
 * twice as long. It must be a preload, because Node compiles the imports of server.ts before it runs any of its code.
 */
// oxlint-disable-next-line node/no-process-env -- threads find the folder only there
const { env } = process
env['NODE_COMPILE_CACHE'] ??= resolve('.hull/compile-cache')
enableCompileCache(env['NODE_COMPILE_CACHE'])
