import t from 'tap'
import { createBoundedQueue } from '../../../core/auth/bounded-queue.ts'

const LIMITS = { concurrency: 2, maxWaiting: 3, maxWaitMs: 60_000, busyText: 'Come back later.' }

t.test('concurrency never exceeds the limit, in order of arrival', async (t) => {
  const queue = createBoundedQueue({ ...LIMITS, maxWaiting: 100 })
  const started: number[] = []
  let running = 0
  let most = 0

  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      queue(async () => {
        started.push(i)
        most = Math.max(most, ++running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
      }),
    ),
  )

  t.equal(most, 2)
  t.same(
    started,
    Array.from({ length: 20 }, (_, i) => i),
  )
})

t.test('a full queue refuses at once', async (t) => {
  const queue = createBoundedQueue(LIMITS)
  const gate = Promise.withResolvers<void>()
  const admitted = Array.from({ length: 5 }, () => queue(() => gate.promise))

  await t.rejects(
    queue(async () => undefined),
    { code: 'PLH_TOO_MANY', wire: 'busy', retryAfterMs: Number, message: 'Come back later.' },
  )

  gate.resolve()
  await Promise.all(admitted)
})

t.test('a caller that waits too long is refused, and its place is free again', async (t) => {
  const queue = createBoundedQueue({ ...LIMITS, concurrency: 1, maxWaiting: 1, maxWaitMs: 5 })
  const gate = Promise.withResolvers<void>()
  const working = queue(() => gate.promise)
  let ran = false

  await t.rejects(
    queue(async () => void (ran = true)),
    { code: 'PLH_TOO_MANY' },
  )
  gate.resolve()
  await working

  t.equal(ran, false)
  t.equal(await queue(async () => 'served'), 'served')
})

t.test('failing work makes room for the next, even if it fails before it waits', async (t) => {
  const queue = createBoundedQueue({ ...LIMITS, concurrency: 1 })

  const failed = queue(() => {
    throw new Error('at once')
  })
  const next = queue(async () => 'served')

  await t.rejects(failed, { message: 'at once' })
  t.equal(await next, 'served')
})
