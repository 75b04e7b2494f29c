import type { Examination, Outcome } from './finding.ts'

export function checkReplicas({ hasOwnSecret, isShared }: Examination): Outcome {
  if (hasOwnSecret)
    return {
      check: 'Each replica signs sessions with a key of its own',
      verdict: 'bad',
      says: 'DATABASE_URL or REDIS_URL connects replicas, and SESSION_SECRET is not set. A visitor who reaches another replica is signed out.',
      todo: 'Set SESSION_SECRET to the same value on every replica: openssl rand -base64 32'
    }
  if (isShared)
    return {
      check: 'Replicas share the inbox',
      verdict: 'good',
      says: 'All replicas with this DATABASE_URL store their events here, and show the same inbox.'
    }
  return {
    verdict: 'quiet',
    says: 'This inbox belongs to this process. Every replica has its own inbox with the events that were sent to it.',
    todo: 'To see all replicas in one place, set DATABASE_URL to the same PostgreSQL database on each of them.'
  }
}
