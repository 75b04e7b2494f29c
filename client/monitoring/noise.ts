import { isOutcome, isRedirect } from '../../lib/common/outcomes.ts'
import { isTold } from '../shell/tell-error.ts'

/** Scripts that visitors brought themselves. */
export const FOREIGN_SCRIPTS = [/^(?:chrome|moz|safari|safari-web|ms-browser)-extension:/, /^webkit-masked-url:/]

/** Beside what the SDK leaves out by itself, scripts of other origins that tell nothing ("Script error.") among it. */
export const HARMLESS = [/^ResizeObserver loop limit exceeded$/]

/** What is thrown and no error of the browser: an answer, or what the server has reported. */
export const isNoError = (value: unknown): boolean => isOutcome(value) || isRedirect(value) || isTold(value)
