import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { joinRuns, readRuns, type Run } from '../../../bench/earlier-runs.ts'
import { CIRCUMSTANCES } from './circumstances.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'

const RUN: Run = {
  ...CIRCUMSTANCES,
  contenders: ['floor', 'next'],
  measurements: [{ id: 'start', label: 'start', unit: 'ms', samples: { floor: [1] } }]
}
const OTHER: Run = {
  ...RUN,
  date: '2026-11-21',
  versions: [{ name: 'stock', version: 'stock 1' }],
  contenders: ['floor', 'stock'],
  measurements: [{ id: 'cpu /', label: 'CPU', unit: 'ms', samples: { floor: [1] } }]
}

t.test('joins the files of runs with different measures', async (t) => {
  const folder = createFolder(t)
  const files = [RUN, OTHER].map((run, index) => {
    const file = join(folder, `${index}.json`)
    writeFileSync(file, JSON.stringify(run))
    return file
  })
  t.match(readRuns(files), {
    date: '2026-11-21',
    contenders: ['floor', 'stock', 'next'],
    versions: [{ name: 'next' }, { name: 'stock' }],
    measurements: [{ id: 'start' }, { id: 'cpu /' }]
  })
})

t.test('refuses files that it cannot read, and runs that cannot be joined', async (t) => {
  t.throws(
    () => joinRuns([RUN, { ...OTHER, commit: 'def' }]),
    /The runs differ in machine, commit or settings: .*abc1234/
  )
  t.throws(() => joinRuns([RUN, { ...OTHER, rounds: 3 }]), /differ/)
  t.throws(() => joinRuns([RUN, RUN]), /"start" is in two of the runs/)
  t.throws(() => readRuns(['/nowhere.json']), /--from cannot read \/nowhere\.json/)
})
