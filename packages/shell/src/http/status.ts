/**
 * The words for each status. Not by `import`, which reads every export of node:http, one of which loads Node's whole
 * fetch: a start is some milliseconds shorter without.
 */
export const { STATUS_CODES } = process.getBuiltinModule('node:http')
