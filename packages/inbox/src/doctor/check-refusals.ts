import type { Examination, Finding } from './finding.ts'

/** @returns undefined if none were refused */
export function checkRefusals({ refusals = [] }: Examination): Finding | undefined {
  if (refusals.length === 0) return undefined
  const quantity = refusals.reduce((sum, refusal) => sum + refusal.quantity, 0)
  return {
    id: 'refusals',
    check: 'Envelopes of services were refused',
    verdict: 'look',
    says: `This server refused ${quantity} ${quantity === 1 ? 'envelope' : 'envelopes'}, the last one`,
    at: Math.max(...refusals.map(({ at }) => at)),
    todo: 'Each sender received the reason in the header X-Sentry-Error. If it is about the key, compare the DSN of the service with the one in Settings, Projects.',
    drops: refusals.map(({ project, projectName, message, ...refusal }) => ({
      what: `envelopes for ${projectName ?? `project ${project}`}`,
      why: message,
      quantity: refusal.quantity,
      isHarmless: false
    }))
  }
}
