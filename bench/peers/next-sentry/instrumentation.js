import * as Sentry from '@sentry/nextjs'

// Server set-up from the guide of @sentry/nextjs, with Hull's sample rate of traces.
export async function register () {
  if (process.env.NEXT_RUNTIME === 'nodejs') Sentry.init({ dsn: process.env.SERVER_DSN, tracesSampleRate: 0.1 })
}

export const onRequestError = Sentry.captureRequestError
