import type { ContenderName } from './options.ts'

/** Name of a contender in tables and drawings. */
export interface DisplayName {
  label: string
  /** Package in `peers/<contender>` whose version the document lists. */
  package?: string
}

export const NAMES: Record<ContenderName, DisplayName> = {
  floor: { label: 'Floor' },
  hull: { label: 'Hull, inbox' },
  'hull-no-inbox': { label: 'Hull, no inbox' },
  stock: { label: '@fastify/react', package: '@fastify/react' },
  tanstack: { label: 'TanStack Start', package: '@tanstack/react-start' },
  'react-router': { label: 'React Router', package: 'react-router' },
  next: { label: 'Next', package: 'next' },
  'next-sentry': { label: 'Next, Sentry', package: '@sentry/nextjs' }
}
