import * as Sentry from '@sentry/nextjs'

// On the server, as its guide has it, and with the share of traces that Hull keeps by itself.
export async function register () {
  if (process.env.NEXT_RUNTIME === 'nodejs') Sentry.init({ dsn: process.env.SERVER_DSN, tracesSampleRate: 0.1 })
}

export const onRequestError = Sentry.captureRequestError
