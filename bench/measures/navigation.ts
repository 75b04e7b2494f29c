import type { Browser } from 'playwright'
import { launchBrowser, openTab, type Tab } from '../browser.ts'
import { assertRequests, clickLink, SETTLED, type Click } from '../click.ts'
import { toMedian } from '../ratios.ts'
import type { Server } from '../servers.ts'
import { findItem } from '../tree/data.ts'
import type { Bench, Measurement } from './measure.ts'

const PATH = '/list'

/** Pages that are requested before the clicks; otherwise the first rounds would measure V8's compiler in the server. */
const WARM_UP_PATHS = [PATH, '/item/1']

/**
 * Clicks of a new tab that are not measured, because the first clicks load chunks and run code that is not compiled.
 */
const WARM_UP_CLICKS = 3
/** Clicks of a tab whose median is one sample. */
const CLICKS = 5

interface ClickKind extends Pick<Click, 'hovers'> {
  id: string
  label: string
  /** Milliseconds of delay of each response. */
  latency: number
}

const CLICK_KINDS: ClickKind[] = [
  { id: 'click', label: 'click to content', latency: 0, hovers: false },
  { id: 'click +50', label: 'click to content, +50 ms RTT', latency: 50, hovers: false },
  { id: 'hover +50', label: 'click to content after hover, +50 ms RTT', latency: 50, hovers: true }
]

/**
 * Measures the time in a browser from a click on `/list` to the item's page, with a new tab for each contender and
 * round.
 */
export async function measureNavigation(bench: Bench): Promise<Measurement[]> {
  const { servers, options, load, say } = bench
  const measurements = CLICK_KINDS.map(({ id, label }): Measurement => ({ id, label, unit: 'ms', samples: {} }))
  const trees = new Map<string, string>()
  for (const server of servers)
    for (const path of WARM_UP_PATHS) await load.run(server, path, { seconds: options.warmUp, isWarmUp: true })
  const browser = await launchBrowser(bench)
  try {
    for (let round = 1; round <= options.rounds; round++) {
      say(`navigation, round ${round} of ${options.rounds}`)
      for (const server of servers) {
        const samples = await navigate(browser, server, trees)
        measurements.forEach(({ samples: own }, index) => (own[server.name] ??= []).push(samples[index]!))
      }
    }
  } finally {
    await browser.close()
  }
  return measurements
}

/**
 * Takes one tab's samples, in the order of {@link CLICK_KINDS}. Each click opens another item, so that no cache has its
 * page.
 */
async function navigate(browser: Browser, server: Server, trees: Map<string, string>): Promise<number[]> {
  const tab = await openTab(browser, server)
  let item = 0
  const click = async (hovers: boolean) => {
    const id = String(++item)
    const path = `/item/${id}`
    const { milliseconds, tree, requests } = await clickLink(tab, {
      path,
      heading: (await findItem(id))!.title,
      hovers
    })
    assertRequests(
      server.name,
      requests.map((request) => ({ type: request.resourceType(), url: request.url() }))
    )
    // The floor is the first server.
    if (!trees.has(path)) trees.set(path, tree)
    if (tree !== trees.get(path))
      throw new Error(`${server.name} shows another tree than the floor after a click: ${tree}`)
    await goBack(tab)
    return milliseconds
  }
  try {
    await tab.open(PATH)
    const samples: number[] = []
    for (let warmUp = 0; warmUp < WARM_UP_CLICKS; warmUp++) await click(false)
    for (const { latency, hovers } of CLICK_KINDS) {
      await tab.delayRequests(latency)
      const clicks: number[] = []
      while (clicks.length < CLICKS) clicks.push(await click(hovers))
      samples.push(toMedian(clicks.sort((a, b) => a - b)))
    }
    return samples
  } finally {
    await tab.close()
  }
}

async function goBack({ page, until, untilQuiet }: Tab): Promise<void> {
  await page.evaluate(() => history.back())
  await until(() => document.querySelector('main')?.className === 'list', undefined)
  await untilQuiet(SETTLED)
}
