import t from 'tap'
import { formatBytes } from '../src/format-bytes.ts'

t.test('bytes have a unit, and two digits where there are fewer than ten of it', async (t) => {
  t.same([0, 812, 4_300, 12_582_912, 2 ** 31].map(formatBytes), ['0 B', '812 B', '4.2 KB', '12 MB', '2 GB'])
})
