import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readCircumstances } from './circumstances.ts'
import { CACHE, logOf } from './contenders/contender.ts'
import { contenders } from './contenders/index.ts'
import { createDocument, DRAWING, GROWTH_DRAWING, type Results } from './document.ts'
import { createDrawing } from './drawing.ts'
import { createGrowthDrawing } from './growth-drawing.ts'
import { startLoadGenerator } from './load-generator.ts'
import { measureGrowth } from './measures/growth.ts'
import { measureCpu } from './measures/cpu.ts'
import { measureDatabase } from './measures/database.ts'
import { measureInbox } from './measures/inbox.ts'
import { measureInboxApi } from './measures/inbox-api.ts'
import { measureInboxAlerts } from './measures/inbox-alerts.ts'
import { measureInboxIssues } from './measures/inbox-issues.ts'
import { measureInboxPages } from './measures/inbox-pages.ts'
import { measureInboxReads } from './measures/inbox-reads.ts'
import { measureInboxRetention } from './measures/inbox-retention.ts'
import { measureLink } from './measures/link.ts'
import { measureMemory } from './measures/memory.ts'
import { measureNavigation } from './measures/navigation.ts'
import { measureSampled } from './measures/sampled.ts'
import { measureScripts } from './measures/scripts.ts'
import { measureStart } from './measures/start.ts'
import { measureTracing } from './measures/tracing.ts'
import { measureTunnelMemory } from './measures/tunnel-memory.ts'
import { measureTunnel } from './measures/tunnel.ts'
import type { Bench, Measure, Measurement } from './measures/measure.ts'
import { parseOptions, USAGE, type ContenderName, type MeasureName, type Options } from './options.ts'
import { killAll, listCores, pinSelf, stopAll } from './processes.ts'
import { startProvider, type Provider } from './provider.ts'
import { readRuns, type Run } from './earlier-runs.ts'
import { judge } from './ratios.ts'
import { createTable, listUnmeasured } from './report.ts'
import { assertSameTrees } from './same-tree.ts'
import { deleteDataFolders, startServer, type Built, type Server } from './servers.ts'
import { TARGETS } from './targets.ts'

const measures: Record<MeasureName, Measure> = {
  cpu: measureCpu,
  link: measureLink,
  sampled: measureSampled,
  growth: measureGrowth,
  scripts: measureScripts,
  start: measureStart,
  memory: measureMemory,
  navigation: measureNavigation,
  tunnel: measureTunnel,
  'tunnel-memory': measureTunnelMemory,
  tracing: measureTracing,
  inbox: measureInbox,
  'inbox-reads': measureInboxReads,
  'inbox-retention': measureInboxRetention,
  'inbox-alerts': measureInboxAlerts,
  'inbox-pages': measureInboxPages,
  'inbox-api': measureInboxApi,
  'inbox-issues': measureInboxIssues,
  database: measureDatabase
}

const say = (line: string) => process.stderr.write(line + '\n')

process.once('exit', () => {
  killAll()
  deleteDataFolders()
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

try {
  const options = readOptions()
  if (options?.from) process.exitCode = report(options, readRuns(options.from))
  else if (options) process.exitCode = await run(options)
  else console.log(USAGE)
} catch (error) {
  say(`Not measured. ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  await stopAll()
}

function readOptions(): Options | undefined {
  try {
    return parseOptions(process.argv.slice(2))
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${USAGE}`)
  }
}

async function run(options: Options): Promise<number> {
  if (process.platform !== 'linux')
    throw new Error('The bench needs Linux, because it reads CPU time and memory from /proc; a container is enough.')
  await mkdir(CACHE, { recursive: true })
  const provider = await startProvider(listCores()[1])
  const built = await buildAll(options.contenders, provider)
  const cores = pin()
  const { serverCore, loadCore } = cores
  const servers: Server[] = []
  for (const contender of built) servers.push(await startServer(contender, serverCore))
  await assertSameTrees(servers[0]!, servers)
  const load = startLoadGenerator(options.connections, loadCore)
  const measurements: Measurement[] = []
  for (const name of options.measures)
    measurements.push(...(await measures[name]({ options, built, servers, load, provider, say, ...cores })))
  for (const { name } of built) rmSync(logOf(name))
  const circumstances = readCircumstances(options, serverCore !== undefined)
  return report(options, { ...circumstances, contenders: options.contenders, measurements })
}

async function buildAll(names: ContenderName[], provider: Provider): Promise<Built[]> {
  const built: Built[] = []
  for (const name of names) {
    say(`building ${name}`)
    built.push({ name, launch: await contenders[name].prepare(provider) })
  }
  return built
}

/**
 * Pins this process to the core of the load.
 * @returns one core for the servers, and another for the load and this process
 */
function pin(): Pick<Bench, 'serverCore' | 'loadCore' | 'bothCores'> {
  const [serverCore, loadCore] = listCores()
  if (loadCore === undefined || !pinSelf(loadCore)) return {}
  return { serverCore: serverCore!, loadCore, bothCores: `${serverCore},${loadCore}` }
}

function report({ json, write, check }: Options, run: Run): number {
  const { contenders: names, measurements, ...circumstances } = run
  const { cores, pinned, rounds, seconds, connections, starts, node } = circumstances
  const verdicts = judge(measurements, TARGETS)
  console.log(
    `\nRatios of one run: median (minimum-maximum). Smaller is better; the contender in the column "to" counts as 1.
Node ${node}, ${cores} cores, ${pinned ? 'servers and load on one core each, the browser on both' : 'not pinned, because taskset is missing or there is only one core'}; ` +
      `${rounds} rounds of ${seconds} s, ${connections} connections, ${starts} starts\n`
  )
  console.log(createTable(measurements, names, verdicts))
  for (const line of listUnmeasured(verdicts)) console.log(`not measured here  ${line}`)
  if (json !== undefined) writeFileSync(json, JSON.stringify({ ...run, verdicts }, null, 2) + '\n')
  if (write !== undefined) writeDocument(write, { circumstances, names, measurements, verdicts })
  return check && verdicts.some(({ holds }) => holds === false) ? 1 : 0
}

function writeDocument(folder: string, results: Results): void {
  const { measurements, names } = results
  const files = {
    'performance.md': createDocument(results),
    [DRAWING]: createDrawing(measurements, names),
    [GROWTH_DRAWING]: createGrowthDrawing(measurements, names)
  }
  for (const [path, text] of Object.entries(files)) {
    if (text === undefined) continue
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
