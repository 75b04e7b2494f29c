/*
 * Everything that this package uses of the SDK. The build bundles it into one file, which loads in a tenth of the time
 * and memory of the whole package (decision 042). Import it through `sentry.ts`.
 */
export { linkedErrorsIntegration, NodeClient } from '@sentry/node'
export {
  _INTERNAL_setSpanForScope,
  browserPerformanceTimeOrigin,
  createStackParser,
  createTransport,
  getActiveSpan,
  getClient,
  getCurrentScope,
  getDefaultCurrentScope,
  getDefaultIsolationScope,
  getGlobalScope,
  getSpanStatusFromHttpCode,
  getTraceData,
  isContinuingTrace,
  makePromiseBuffer,
  SDK_VERSION,
  SENTRY_BUFFER_FULL_ERROR,
  setHttpStatus,
  startInactiveSpan,
  uuid4
} from '@sentry/core'
export { nodeStackLineParser } from '@sentry/core/server'
