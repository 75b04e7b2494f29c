import t from 'tap'
import { createMetrics } from '../src/metrics.ts'

t.test('counts durations in cumulative buckets', async (t) => {
  const { observeRequest, print } = createMetrics()
  for (const seconds of [0.005, 0.006, 0.2, 11]) observeRequest('/a', 'GET', 200, seconds)
  observeRequest('/a', 'GET', 0, 1)
  const lines = (await print()).split('\n').filter((line) => line.startsWith('http_request_duration_seconds'))
  const bucket = (le: string, status = '2xx') =>
    lines.find((line) => line.includes(`_bucket{le="${le}",route="/a",method="GET",status="${status}"}`))?.split(' ')[1]
  t.same(
    ['0.005', '0.01', '0.1', '0.25', '10', '+Inf'].map((le) => bucket(le)),
    ['1', '2', '2', '3', '3', '4']
  )
  t.equal(bucket('1', 'none'), '1', 'a bucket includes its upper bound')
  t.equal(bucket('0.5', 'none'), '0')
  t.ok(lines.includes('http_request_duration_seconds_count{route="/a",method="GET",status="2xx"} 4'))
  t.ok(lines.some((line) => /_sum\{route="\/a",method="GET",status="2xx"\} 11\.211/.test(line)))
})

t.test('the next scrape includes metrics that were added after the last one', async (t) => {
  const { counter, print } = createMetrics()
  await print()
  const apples = counter({ name: 'apples_total', help: 'Apples.', labelNames: ['colour', 'size'] })
  for (const size of ['large', 'small', 'large']) apples.inc({ colour: 'red', size })
  counter({ name: 'pears_total', help: 'Pears.' })
  const text = await print()
  t.match(text, 'apples_total{colour="red",size="large"} 2')
  t.match(text, 'apples_total{colour="red",size="small"} 1')
  t.match(text, 'pears_total 0', 'a new counter is 0')
  t.match(text, '# TYPE apples_total counter')
  t.match(text, 'process_cpu_seconds_total')
})
