import t from 'tap'
import { tryTunnel } from '@hull/test-helpers/tunnel-trial.ts'

t.test('2,000 envelopes arrive although the provider is down three times and the process is killed twice', (t) =>
  tryTunnel(t, 2_000)
)
