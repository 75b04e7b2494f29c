import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PROJECT } from '../contenders/contender.ts'
import { get } from '../http.ts'
import { PASSWORD, signIn } from '../inbox-sign-in.ts'
import { toBody } from '../mix.ts'
import { readMemory, readPeakMemory } from '../processes.ts'
import { startServer } from '../servers.ts'
import { createIntakeRequest, untilStored } from './inbox.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

const EVENT = join(PROJECT, 'packages/monitoring/test/fixtures/envelopes/sdk11.12-browser-stream-07-event.envelope')

/** Issues to store for each second of the option `--load`: 200,000 for the default of 60 seconds. */
const ISSUES_PER_SECOND = 3_334

/** Share of the issues that is stored in addition, with other fingerprints, to measure the growth of memory. */
const FURTHER = 0.25

/**
 * Milliseconds from the last commit to the reading of memory. V8 collects the garbage of an idle process after 8 s, and
 * returns memory in two or three such steps; earlier readings differ by 100 MB. The inbox's thread takes these steps
 * only after much work, so growth is measured by the peak of memory.
 */
const SETTLE = 30_000

/**
 * Measures an inbox in which every event has an issue of its own: the peak of the process's memory while the issues are
 * stored, the memory afterwards, the growth of the peak with more issues, and the time of the first list of issues
 * after a restart.
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
  const request = await createIntakeRequest(server, readDistinctEvent)
  const cookie = await signIn(server.origin)
  const store = async (requests: number) => {
    for (let left = requests; left > 0;)
      left -= await load.run(server, request, { seconds: 60, requests: left, isWarmUp: true })
    await untilStored(server)
  }

  const issues = options.load * ISSUES_PER_SECOND
  say(`inbox issues: storing ${issues} issues`)
  await store(issues)
  const peak = readPeakMemory(server.pid)
  await sleep(SETTLE)
  const stored = readMemory(server.pid)
  say('inbox issues: storing a quarter more')
  await store(Math.round(issues * FURTHER))
  const laterPeak = readPeakMemory(server.pid)
  await server.stop()

  say('inbox issues: the first list after a restart')
  const samples: number[] = []
  for (let start = 0; start < options.starts; start++) {
    const restarted = await startServer(contender, bothCores)
    const begin = performance.now()
    const { status } = await get(restarted.origin, '/inbox/issues', { cookie, accept: 'text/html' })
    samples.push(performance.now() - begin)
    await restarted.stop()
    if (status !== 200) throw new Error(`The response of /inbox/issues has status ${status}`)
  }
  return [
    {
      id: 'issues memory',
      label: `memory after ${issues} distinct issues`,
      unit: 'bytes',
      samples: { hull: [stored] }
    },
    {
      id: 'issues peak memory',
      label: 'peak memory while these issues are stored',
      unit: 'bytes',
      samples: { hull: [peak] }
    },
    {
      id: 'issues growth',
      label: 'peak memory while a quarter more are stored, relative to before',
      unit: 'times',
      samples: { hull: [laterPeak / peak] }
    },
    { id: 'issues page', label: 'first list of these issues after a restart', unit: 'ms', samples: { hull: samples } }
  ]
}

/** Reads an error of a browser, whose fingerprint is a placeholder that `fill` replaces with a new one. */
function readDistinctEvent(dsn: string): string[] {
  return [toBody(readFileSync(EVENT, 'utf8'), dsn).replace('"level":"error"', '"level":"error","fingerprint":["@id@"]')]
}
