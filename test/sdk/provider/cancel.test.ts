// Cancelling provider calls, also while they wait for shared work.
import t from 'tap'
import { PlayheadError, type WriteRequest } from '@playhead/sdk'
import { untilCancelled, partsUntilCancelled, writeUntilCancelled } from '../../../sdk/provider/until-cancelled.ts'

const never = () => new Promise<never>(() => {})
const request: WriteRequest = {
  feature: 'ratings',
  op: 'add',
  items: [{ key: 'a', item: { type: 'movie', ids: { imdb: 'tt1' } } }],
}

t.test('a cancelled read ends, whatever it waits for', async (t) => {
  const stop = new AbortController()
  async function* parts() {
    yield 1
    await never()
    yield 2
  }
  const seen: number[] = []
  await t.rejects(
    (async () => {
      for await (const part of partsUntilCancelled(parts(), stop.signal)) {
        seen.push(part)
        setImmediate(() => stop.abort())
      }
    })(),
    { code: 'PLH_ABORTED' },
  )
  t.strictSame(seen, [1])
})

t.test('a reader that leaves waits until the provider has cleaned up', async (t) => {
  let isTidy = false
  async function* parts() {
    try {
      yield 1
      yield 2
    } finally {
      await new Promise(setImmediate)
      isTidy = true
    }
  }
  for await (const _ of partsUntilCancelled(parts(), new AbortController().signal)) break
  t.ok(isTidy)
})

t.test('parts, ends and errors pass unchanged', async (t) => {
  const { signal } = new AbortController()
  async function* broken() {
    yield 1
    throw new PlayheadError('PLH_UPSTREAM', 'it broke')
  }
  t.strictSame(
    await Array.fromAsync(
      partsUntilCancelled(
        (async function* () {
          yield* [1, 2]
        })(),
        signal,
      ),
    ),
    [1, 2],
  )
  await t.rejects(Array.fromAsync(partsUntilCancelled(broken(), signal)), { code: 'PLH_UPSTREAM' })
  t.equal(await untilCancelled(Promise.resolve(7), signal), 7)
})

t.test('a cancelled write reports its known outcomes, and unknown for the rest', async (t) => {
  const stop = new AbortController()
  stop.abort()
  const known = { outcomes: [{ key: 'a', outcome: 'failed' as const }] }
  t.strictSame(await writeUntilCancelled(request, Promise.resolve(known), stop.signal), known)
  t.strictSame(await writeUntilCancelled(request, never(), stop.signal), {
    outcomes: [{ key: 'a', outcome: 'unknown', reason: 'cancelled' }],
  })
})

t.test('a write that is not cancelled takes its time, and fails with its own error', async (t) => {
  const { signal } = new AbortController()
  await t.rejects(writeUntilCancelled(request, Promise.reject(new PlayheadError('PLH_NOT_READY', 'no')), signal), {
    code: 'PLH_NOT_READY',
  })
})
