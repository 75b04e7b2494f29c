import { MAX_STACK_FRAMES } from '@hull/common/constants.ts'
import { ERROR_QUEUE, ERROR_QUEUE_SIZE } from '../browser-sdk/options.ts'

/**
 * Inline script at the start of a document that collects errors until the browser's SDK is loaded. Always the same, so
 * that the content security policy allows it by its hash and no document needs a nonce for it.
 */
export const EARLY_ERRORS =
  `Error.stackTraceLimit=${MAX_STACK_FRAMES};self.${ERROR_QUEUE}=[];for(let type of["error","unhandledrejection"])addEventListener(type,e=>{e.page=location.href;` +
  `let q=self.${ERROR_QUEUE};q.length<${ERROR_QUEUE_SIZE}?q.push(e):q.lost=-~q.lost})`
