import t from 'tap'
import { createRetry, type AttemptInfo, type AttemptReport } from '../../src/fetch/retry.ts'
import { notFound, redirect } from '../../../common/src/outcomes.ts'
import { THROWN } from '../fixtures/failures.ts'

const backoff = { base: 1, cap: 4 }

/** Rejects with each error in turn, then resolves. */
function failing(...errors: unknown[]) {
  const attempts: number[] = []
  return {
    attempts,
    run: async ({ number }: { number: number }) => {
      attempts.push(number)
      if (errors.length > 0) throw errors.shift()
      return 'done'
    }
  }
}

function busy(statusCode: number, retryAfter?: string) {
  return Object.assign(new Error('busy'), { statusCode, headers: { 'retry-after': retryAfter } })
}

t.test('createRetry', async (t) => {
  t.test('retries after a broken connection or a 5xx, three times at most', async (t) => {
    const retry = createRetry({ backoff })
    const thrice = failing(new Error('reset'), busy(503), new TypeError('fetch failed'))
    t.equal(await retry(thrice.run), 'done')
    t.same(thrice.attempts, [1, 2, 3, 4])

    const last = new Error('reset')
    await t.rejects(retry(failing(1, 2, 3, last).run), {
      code: 'APP_FETCH_FAILED',
      statusCode: 500,
      cause: last,
      message: 'ctx.retry run failed after 4 attempts: reset'
    })
  })

  t.test('retries after an error whose status is not an HTTP status code', async (t) => {
    const retry = createRetry({ backoff })
    // No response, and the exit code of a program.
    const twice = failing(busy(0), Object.assign(new Error('failed'), { status: 1 }))
    t.equal(await retry(twice.run), 'done')
    t.same(twice.attempts, [1, 2, 3])
  })

  t.test('throws an outcome, a redirect and an error with a status code below 500 unchanged', async (t) => {
    const retry = createRetry({ backoff })
    for (const make of [() => notFound(), () => redirect('/x')]) {
      let attempts = 0
      await t.rejects(
        retry(async () => {
          attempts++
          make()
        }),
        { name: /^(Outcome|Redirect)$/ }
      )
      t.equal(attempts, 1)
    }
    const refused = failing(busy(429, '1'))
    await t.rejects(retry(refused.run), { statusCode: 429, message: 'busy' })
    t.same(refused.attempts, [1])
  })

  t.test('reports the cause for every thrown value', async (t) => {
    const retry = createRetry({ backoff })
    for (const [what, make] of Object.entries(THROWN)) {
      const attempts = failing(make(), make(), make(), make())
      await t.rejects(retry(attempts.run), { code: 'APP_FETCH_FAILED' }, what)
      t.equal(attempts.attempts.length, 4, what)
    }
  })

  t.test('does not repeat an inner call that has been retried', async (t) => {
    const retry = createRetry({ backoff })
    let inner = 0
    await t.rejects(
      retry(() =>
        retry(async () => {
          inner++
          throw new Error('reset')
        })
      ),
      { code: 'APP_FETCH_FAILED' }
    )
    t.equal(inner, 4)
  })

  t.test('waits as long as Retry-After says, or fails at once if that is after the timeout', async (t) => {
    const once = failing(busy(503, '1'))
    const began = performance.now()
    t.equal(await createRetry({ backoff })(once.run), 'done')
    t.ok(performance.now() - began >= 990)

    const tooLong = failing(busy(503, '3600'))
    await t.rejects(createRetry({ backoff })(tooLong.run), {
      code: 'APP_FETCH_FAILED',
      message: /after 1 attempts: busy.*later than 8000 ms/
    })
    t.same(tooLong.attempts, [1])
  })

  t.test('reports each attempt with the delay after it', async (t) => {
    const reports: AttemptReport[] = []
    await createRetry({
      backoff,
      onAttempt: (report) => {
        reports.push(report)
      }
    })(failing(busy(502)).run)
    t.match(reports, [
      { attempt: 1, maxAttempts: 4, status: 502, error: { message: 'busy' }, delay: Number },
      { attempt: 2, maxAttempts: 4, error: undefined, delay: undefined }
    ])
    t.ok((reports[0]?.delay ?? 9) <= backoff.base)
  })

  t.test('wraps each attempt, and the wrapper sees its result', async (t) => {
    const spans: string[] = []
    async function wrapAttempt<T>({ attempt, maxAttempts }: AttemptInfo, run: () => Promise<T>): Promise<T> {
      try {
        const value = await run()
        spans.push(`${attempt}/${maxAttempts} ${String(value)}`)
        return value
      } catch (error) {
        spans.push(`${attempt}/${maxAttempts} ${String(error)}`)
        throw error
      }
    }
    await createRetry({ backoff, wrapAttempt })(failing(new Error('reset')).run)
    t.same(spans, ['1/4 Error: reset', '2/4 done'])
  })

  t.test('aborts the signal of a failed attempt, so that its work ends', async (t) => {
    const signals: AbortSignal[] = []
    await createRetry({ backoff })(async ({ signal }) => {
      if (signals.push(signal) === 1) throw new Error('reset')
    })
    t.same(
      signals.map((signal) => signal.aborted),
      [true, false]
    )
  })

  t.test('ends at the timeout, even if the function ignores its signal', async (t) => {
    let signal: AbortSignal | undefined
    await t.rejects(
      createRetry({ timeout: 30 })((attempt) => {
        signal = attempt.signal
        return new Promise(() => {})
      }),
      {
        code: 'APP_FETCH_FAILED',
        message: /after 1 attempts: not done within 30 ms/
      }
    )
    t.equal(signal?.aborted, true)
  })

  t.test('names the last failure if the timeout ends a later attempt', async (t) => {
    await t.rejects(
      createRetry({ backoff, timeout: 40 })(({ number }) =>
        number === 1 ? Promise.reject(busy(503)) : new Promise(() => {})
      ),
      {
        message: 'ctx.retry function failed after 2 attempts: busy; not done within 40 ms',
        cause: { statusCode: 503 }
      }
    )
  })

  t.test('ends at once when the visitor leaves: before, during or between attempts', async (t) => {
    const gone = { code: 'APP_CLIENT_GONE', statusCode: 499, name: 'AbortError' }
    const never = failing()
    await t.rejects(createRetry({ signal: AbortSignal.abort() })(never.run), gone)
    t.same(never.attempts, [])

    const during = new AbortController()
    await t.rejects(
      createRetry({ signal: during.signal })(() => {
        setImmediate(() => during.abort())
        return new Promise(() => {})
      }),
      gone
    )

    const between = new AbortController()
    const began = performance.now()
    const onAttempt = () => setImmediate(() => between.abort())
    const waiting = failing(busy(503, '5'))
    await t.rejects(createRetry({ signal: between.signal, onAttempt })(waiting.run), gone)
    t.same(waiting.attempts, [1])
    t.ok(performance.now() - began < 2_000)
  })

  t.test('throws the reason of an abort if it has a code, such as the timeout of a render', async (t) => {
    const late = Object.assign(new Error('late'), { code: 'APP_RENDER_TIMEOUT', statusCode: 500 })
    await t.rejects(
      createRetry({ signal: AbortSignal.abort(late) })(async () => 1),
      late
    )
  })

  t.test('clears its timers', async (t) => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const controller = new AbortController()
    await createRetry({ backoff })(failing(busy(500)).run)
    await t.rejects(
      createRetry({ signal: controller.signal, onAttempt: () => setImmediate(() => controller.abort()) })(
        failing(busy(503, '5')).run
      )
    )
    t.equal(timers(), before)
  })
})
