import createFastifyError from '@fastify/error'
import { markVisible } from './visible-error.ts'

/**
 * Declares a coded error: code, sentence, status. Below 500 the visitor sees the sentence; from 500 on it is only for
 * the log and the team.
 * @param args the same as in @fastify/error
 */
export const createError = ((...args: Parameters<typeof createFastifyError>) => {
  const Coded = createFastifyError(...args)
  markVisible(Coded.prototype)
  return Coded
}) as typeof createFastifyError
