import { InboxTokenTooMany } from '../errors.ts'

/** Operations of a person that run at a time. Queries over many rows wait for each other, those of screens too. A guess. */
const MAX_RUNNING = 4

/** Operations of a person that wait: as many as a token can send at once. */
const MAX_WAITING = 100

/** Runs an operation when few others of its person run. @throws InboxTokenTooMany if too many wait */
export type InTurn = <T>(run: () => Promise<T>) => Promise<T>

/** Keeps the programs of one person from taking the queries of everybody. @returns the turns of a person */
export function createTurns(): (person: number) => InTurn {
  const people = new Map<number, { running: number; waiting: (() => void)[] }>()

  return (person) => async (run) => {
    const own = people.get(person) ?? { running: 0, waiting: [] }
    people.set(person, own)
    if (own.running < MAX_RUNNING) own.running++
    else if (own.waiting.length >= MAX_WAITING) throw new InboxTokenTooMany()
    else await new Promise<void>((resolve) => own.waiting.push(resolve))
    try {
      return await run()
    } finally {
      const next = own.waiting.shift()
      if (next) next()
      else if (--own.running === 0) people.delete(person)
    }
  }
}
