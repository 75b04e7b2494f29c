import { enableCompileCache } from 'node:module'

/*
 * A preload, as in `node --import=@hull/shell/compile-cache server.ts`: caches compiled code in `.hull/compile-cache`
 * of the current folder, or in NODE_COMPILE_CACHE, which Node reads itself. A start without the cache takes nearly
 * twice as long. It must be a preload, because Node compiles the imports of server.ts before it runs any of its code.
 */
enableCompileCache('.hull/compile-cache')
