// Health metrics of the process.
import t from 'tap'
import { createVitalSigns } from '../../../core/events/vital-signs.ts'

t.test('the event loop and the memory are reported, with units in the names', async (t) => {
  const signs = createVitalSigns()
  t.teardown(signs.close)
  const [loop, memory] = await signs.read()
  t.match(loop, { name: 'event_loop', ok: Boolean, detail: { mean_ms: Number, p99_ms: Number, max_ms: Number } })
  t.match(memory, {
    name: 'memory',
    ok: true,
    detail: { rss_bytes: Number, heap_used_bytes: Number, heap_limit_bytes: Number },
  })
})

t.test('a blocked loop is reported once, afterwards', async (t) => {
  const signs = createVitalSigns()
  t.teardown(signs.close)
  await new Promise((resolve) => setTimeout(resolve, 50))
  const untilMs = performance.now() + 300
  while (performance.now() < untilMs) Math.random()
  await new Promise((resolve) => setTimeout(resolve, 50))
  const longest = async () => ((await signs.read())[0]?.detail as Record<string, number> | undefined)?.['max_ms']
  t.ok(Number(await longest()) > 100)
  t.equal(await longest(), 0, 'the measurement begins anew')
})

t.test('the facts belong to the process, and another reader of the loop does not affect them', async (t) => {
  const signs = createVitalSigns()
  t.teardown(signs.close)
  const first = signs.process()
  t.equal(first.loopDelayMs, null, 'nothing was measured before the first reading')
  await new Promise((resolve) => setTimeout(resolve, 50))
  const untilMs = performance.now() + 300
  while (performance.now() < untilMs) Math.random()
  await new Promise((resolve) => setTimeout(resolve, 50))
  await signs.read()

  const second = signs.process()

  t.ok((second.loopDelayMs?.max ?? 0) > 100)
  t.ok(second.cpuUserSeconds > first.cpuUserSeconds)
  t.ok(second.heapUsedBytes < second.rssBytes && second.heapUsedBytes < second.heapLimitBytes)
})
