import type { ContenderName } from './options.ts'

/** A contender as documents name it. */
export interface Named {
  label: string
  /** The package whose version is given, of `peers/<contender>`. */
  package?: string
}

export const NAMES: Record<ContenderName, Named> = {
  floor: { label: 'Floor' },
  hull: { label: 'Hull, inbox' },
  'hull-no-inbox': { label: 'Hull, no inbox' },
  stock: { label: '@fastify/react', package: '@fastify/react' },
  tanstack: { label: 'TanStack Start', package: '@tanstack/react-start' },
  'react-router': { label: 'React Router', package: 'react-router' },
  next: { label: 'Next', package: 'next' },
  'next-sentry': { label: 'Next, Sentry', package: '@sentry/nextjs' }
}
