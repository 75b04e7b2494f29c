import { createHash } from 'node:crypto'
import { DAY, HOUR } from '@hull/common/time.ts'
import { writeRow } from '../store/rows.ts'
import type { SeedWriter } from './seed-writer.ts'

/** Releases with their age in days, and the titles of their commits, newest first. */
const RELEASES: [version: string, age: number, commits: string[]][] = [
  ['1.2.0', 13.6, ['Show orders in the account', 'Update dependencies']],
  ['1.3.0', 9.2, ['Search as the visitor types', 'Move search to its own route', 'Remove the old filters']],
  ['1.3.1', 6.1, ['Keep the cart when a visitor signs in']],
  [
    '1.4.0',
    2.4,
    ['Pay with a saved card', 'Ask the gateway again after a timeout', 'Reserve stock before the payment']
  ],
  ['1.4.1', 0.9, ['Show the total with its currency', 'Read prices from the catalogue']]
]

const AUTHORS = ['Ada Moreau', 'Kofi Mensah']

const ENVIRONMENTS = ['staging', 'production']

/** Adds releases as `sentry-cli` declares them: with commits, and deployed to staging, an hour later to production. */
export const addReleases = (writer: SeedWriter, project: number, now: number) =>
  RELEASES.map(([version, age, titles]) => {
    const at = Math.round(now - age * DAY)
    const commits = titles.map((title) => ({
      id: createHash('sha1')
        .update(version + title)
        .digest('hex'),
      title
    }))
    const id = writer.release(project, version, at, commits[0]!.id)
    for (const [position, commit] of commits.entries())
      writeRow(writer.store, 'release_commit', {
        release: id,
        position,
        commit_id: commit.id,
        title: commit.title,
        author: AUTHORS[position % AUTHORS.length]!,
        at: at - (position + 2) * HOUR
      })
    for (const [index, environment] of ENVIRONMENTS.entries())
      writeRow(writer.store, 'deploy', {
        release: id,
        environment,
        finished: at - (ENVIRONMENTS.length - 1 - index) * HOUR
      })
    return { id, version, at }
  })
