import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { createBroadcast, type BroadcastDriver } from '../../shell/src/broadcast/broadcast.ts'
import { eventually } from './patience.ts'

/** Creates the broadcasts of replicas, which reach each other in this process. */
export async function connectReplicas(t: Test, number = 2) {
  const listeners = new Set<(text: string) => void>()
  /** Texts that were sent. */
  const sent: string[] = []
  const driver: BroadcastDriver = {
    name: 'redis',
    async connect({ onText }) {
      listeners.add(onText)
      return {
        async send(text) {
          await sleep(1)
          sent.push(text)
          for (const listener of listeners) listener(text)
        },
        check: async () => {},
        async close() {
          listeners.delete(onText)
        }
      }
    }
  }
  const broadcasts = Array.from({ length: number }, () =>
    createBroadcast({ driver, onOutage: t.error, onConnected() {} })
  )
  t.teardown(() => Promise.all(broadcasts.map(({ close }) => close())))
  await eventually(() => broadcasts.every(({ isConnected }) => isConnected()))
  return { broadcasts: broadcasts as [Replica, Replica, ...Replica[]], sent }
}

type Replica = ReturnType<typeof createBroadcast>
