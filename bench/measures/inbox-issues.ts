import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PROJECT } from '../contenders/contender.ts'
import { get } from '../http.ts'
import { PASSWORD, signIn } from '../inbox-sign-in.ts'
import { toBody } from '../mix.ts'
import { readMemory, readMostMemory } from '../processes.ts'
import { startServer } from '../servers.ts'
import { createAsk, untilStored } from './inbox.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

const EVENT = join(PROJECT, 'packages/monitoring/test/fixtures/envelopes/sdk11.12-browser-stream-07-event.envelope')

/** Issues to store for each second of the option `--load`: 200,000 in the usual 60. */
const ISSUES_PER_SECOND = 3_334

/** Part of the issues that is stored again, with other fingerprints, to find growth. */
const FURTHER = 0.25

/**
 * Milliseconds after the last commit: V8 collects the garbage of a process that has become idle after 8 s, and returns
 * its memory in two or three such steps. Readings before that differ by 100 MB. The thread of the inbox takes these steps
 * only after much work, so the growth is that of the most memory.
 */
const SETTLE = 30_000

/**
 * An inbox with as many issues as events: the most memory of the process while they are stored, its memory afterwards,
 * the growth by more of them, and the time of the first list of issues after a restart.
 */
export async function measureInboxIssues(bench: Bench): Promise<Measurement[]> {
  const { built, options, load, bothCores, say } = bench
  const hull = built.find(({ name }) => name === 'hull')
  if (!hull) return []
  const contender = withEnv(hull, {
    INBOX: '1',
    INBOX_PASSWORD: PASSWORD,
    INBOX_MAX_BYTES: '16GiB',
    TUNNEL_RATE: '0',
    TRACES_SAMPLE_RATE: '0'
  })
  const server = await startServer(contender, bothCores)
  const ask = await createAsk(server, readDistinctEvent)
  const cookie = await signIn(server.origin)
  const store = async (requests: number) => {
    for (let left = requests; left > 0;)
      left -= await load.run(server, ask, { seconds: 60, requests: left, isWarmUp: true })
    await untilStored(server)
  }

  const issues = options.load * ISSUES_PER_SECOND
  say(`inbox issues: storing ${issues} issues`)
  await store(issues)
  const most = readMostMemory(server.pid)
  await sleep(SETTLE)
  const stored = readMemory(server.pid)
  say('inbox issues: storing a quarter more')
  await store(Math.round(issues * FURTHER))
  const mostLater = readMostMemory(server.pid)
  await server.stop()

  say('inbox issues: the first list after a restart')
  const samples: number[] = []
  for (let start = 0; start < options.starts; start++) {
    const restarted = await startServer(contender, bothCores)
    const begin = performance.now()
    const { status } = await get(restarted.origin, '/inbox/issues', { cookie, accept: 'text/html' })
    samples.push(performance.now() - begin)
    await restarted.stop()
    if (status !== 200) throw new Error(`/inbox/issues was answered with ${status}`)
  }
  return [
    {
      id: 'issues memory',
      label: `memory after ${issues} distinct issues`,
      unit: 'bytes',
      samples: { hull: [stored] }
    },
    {
      id: 'issues most memory',
      label: 'most memory while they are stored',
      unit: 'bytes',
      samples: { hull: [most] }
    },
    {
      id: 'issues growth',
      label: 'most memory while a quarter more are stored, to before',
      unit: 'times',
      samples: { hull: [mostLater / most] }
    },
    { id: 'issues page', label: 'first list of these issues after a restart', unit: 'ms', samples: { hull: samples } }
  ]
}

/** An error of a browser with a fingerprint of its own each time. */
function readDistinctEvent(dsn: string): string[] {
  return [toBody(readFileSync(EVENT, 'utf8'), dsn).replace('"level":"error"', '"level":"error","fingerprint":["@id@"]')]
}
