import { getOrInsert } from '../get-or-insert.ts'
import { InboxTokenTooMany } from '../errors.ts'

/** Operations of a person that run at a time. Queries over many rows wait for each other, those of screens too. A guess. */
const MAX_RUNNING = 4

/** Operations of a person that wait: as many as a token can send at once. */
const MAX_WAITING = 100

/** Runs an operation when few others of its person run. @throws InboxTokenTooMany if too many wait */
export type InTurn = <T>(run: () => Promise<T>) => Promise<T>

/** Seconds after which a person who has too many operations may try again. A guess: most take milliseconds. */
const PAUSE = 1

/**
 * Keeps the programs of one person from taking the queries of everybody.
 * @returns the turns of a person; its second argument is called with the seconds to wait before InboxTokenTooMany is
 * thrown
 */
export function createTurns(): (person: number, onWait: (seconds: number) => void) => InTurn {
  const people = new Map<number, { running: number; waiting: (() => void)[] }>()

  return (person, onWait) => async (run) => {
    const own = getOrInsert(people, person, () => ({ running: 0, waiting: [] }))
    if (own.running < MAX_RUNNING) own.running++
    else if (own.waiting.length >= MAX_WAITING) {
      onWait(PAUSE)
      throw new InboxTokenTooMany()
    } else await new Promise<void>((resolve) => own.waiting.push(resolve))
    try {
      return await run()
    } finally {
      const next = own.waiting.shift()
      if (next) next()
      else if (--own.running === 0) people.delete(person)
    }
  }
}
