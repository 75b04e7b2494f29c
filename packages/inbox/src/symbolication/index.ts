export { countFrames, describeMaps, readFrameFigures } from './figures.ts'
export { importMaps, type ImportOptions, type ImportResult } from './import.ts'
export { pruneMaps, type PruneOptions } from './prune.ts'
export { createSymbolicator, type OwnFrames, type Symbolicator, type SymbolicatorOptions } from './symbolicator.ts'
