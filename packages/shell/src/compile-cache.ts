import { enableCompileCache } from 'node:module'

/*
 * Preloaded, as in `node --import=@hull/shell/compile-cache server.ts`: keeps what Node compiles in `.hull/compile-cache`
 * of the current folder, or in NODE_COMPILE_CACHE, which Node reads itself. Without it a start takes nearly twice as
 * long. A preload, because the imports of server.ts are compiled before any code of it runs.
 */
enableCompileCache('.hull/compile-cache')
