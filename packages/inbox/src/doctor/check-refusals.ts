import { countOf } from '../web/components/shared/format.ts'
import { totalOf, type Examination, type Outcome } from './finding.ts'

/** @returns undefined if none were refused */
export function checkRefusals({ refusals = [] }: Examination): Outcome | undefined {
  if (refusals.length === 0) return undefined
  return {
    verdict: 'look',
    says: `This server refused ${countOf(totalOf(refusals), 'envelope')}, the last one`,
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
