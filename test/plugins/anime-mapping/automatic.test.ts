// Automatic checks of the data sets.
import t from 'tap'
import type { JobTiming, KeyValueStore, Logger } from '@playhead/sdk'
import type { Settings } from '../../../plugins/services/anime-mapping/settings.ts'
import type { State, StateStore } from '../../../plugins/services/anime-mapping/state.ts'
import { createAutomatic, dueAt } from '../../../plugins/services/anime-mapping/update/automatic.ts'
import { SCHEMA_VERSION } from '../../../plugins/services/anime-mapping/index-file/schema.ts'
import type { Updates } from '../../../plugins/services/anime-mapping/update/update.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 6, 1)
const on = { enabled: true, auto_update: true, refresh_hours: 24, release_tag: 'v3' } as Settings
const empty: State = { checkedAtMs: 0, updatedAtMs: 0, installed: null, index: null, identityError: '', failure: null }
const installed = {
  ...empty,
  checkedAtMs: NOW,
  installed: { tag: 'v3' } as State['installed'],
  index: { schema: SCHEMA_VERSION } as State['index'],
}
const failure = (retryAtMs: number) => ({ code: 'download_failed', message: '', atMs: NOW, retryAtMs })

t.test('the next check is due after its interval', async (t) => {
  t.equal(dueAt({ ...on, enabled: false }, installed), null)
  t.equal(dueAt({ ...on, auto_update: false }, installed), null)
  t.equal(dueAt(on, empty), 0, 'never checked')
  t.equal(dueAt(on, installed), NOW + 24 * HOUR)
  t.equal(dueAt({ ...on, refresh_hours: 1 }, installed), NOW + HOUR)
  t.equal(dueAt({ ...on, release_tag: 'v4' }, installed), 0, 'another release was chosen')
  t.equal(dueAt(on, { ...empty, failure: failure(NOW + 600_000) }), NOW + 600_000, 'after a failure')
  t.equal(dueAt(on, { ...installed, failure: failure(NOW + 30 * HOUR) }), NOW + 30 * HOUR, 'a server that asks to wait')
  t.equal(dueAt({ ...on, auto_update: false }, { ...installed, index: null }), 0, 'a lost index needs no download')
  t.equal(dueAt({ ...on, enabled: false }, { ...installed, index: null }), null)
})

interface World {
  settings: Settings
  state: State
  nowMs: number
  startedAtMs: number
  fails: boolean
}

function start(world: World) {
  const values = new Map<string, unknown>()
  const did: string[] = []
  let planned: JobTiming | null = null
  const settle = (what: string) => async () => {
    did.push(what)
    if (world.fails) throw new Error('no')
    world.state = { ...installed, checkedAtMs: world.nowMs }
    return {} as never
  }
  const make = () =>
    createAutomatic({
      job: () => ({
        set(timing) {
          planned = timing as JobTiming | null
        },
      }),
      settings: () => world.settings,
      state: { read: async () => world.state } as StateStore,
      store: {
        get: async (key: string) => values.get(key),
        set: async (key: string, value: unknown) => void values.set(key, value),
        delete: async (key: string) => values.delete(key),
      } as unknown as KeyValueStore,
      updates: { isRunning: () => false, update: settle('update'), rebuild: settle('rebuild') } as Updates,
      startedAtMs: world.startedAtMs,
      now: () => world.nowMs,
      log: { debug() {} } as unknown as Logger,
    })
  return { make, did, plannedAt: () => (planned === null ? null : (planned as { at: number }).at) }
}

t.test('a check runs not right after a start, and at once on request', async (t) => {
  const world: World = { settings: on, state: empty, nowMs: NOW, startedAtMs: NOW - 10_000, fails: false }
  const { make, did, plannedAt } = start(world)
  const { signal } = new AbortController()
  const first = make()
  await first.plan()
  t.equal(plannedAt(), world.startedAtMs + 300_000)
  await first.run(signal)
  t.same(did, [], 'a job that was due before the restart waits as well')

  await first.request()
  t.equal(plannedAt(), NOW)
  world.startedAtMs = NOW + 1_000
  world.nowMs = NOW + 2_000
  const second = make()
  await second.run(signal)
  t.same(did, [], 'a request from before a restart waits')
  t.equal(plannedAt(), world.startedAtMs + 300_000)

  await second.request()
  await second.run(signal)
  t.same(did, ['update'])
  t.equal(plannedAt(), world.nowMs + 24 * HOUR)
  await second.run(signal)
  t.same(did, ['update'], 'not due')
  world.nowMs += 25 * HOUR
  world.state = { ...world.state, index: null }
  await second.run(signal)
  t.same(did, ['update', 'rebuild'], 'what is there is enough')
  world.settings = { ...on, enabled: false }
  await second.run(signal)
  t.equal(plannedAt(), null)
})

t.test('a failure does not fail the job, nor is it retried at once', async (t) => {
  const world: World = { settings: on, state: empty, nowMs: NOW, startedAtMs: NOW - HOUR, fails: true }
  const { make, did, plannedAt } = start(world)
  const automatic = make()
  await automatic.request()
  world.state = { ...empty, failure: failure(NOW + 600_000) }
  await automatic.run(new AbortController().signal)
  t.same(did, ['update'])
  t.equal(plannedAt(), NOW + 600_000)
})

t.test('what was noted while the clock was ahead does not put the next check off', async (t) => {
  const YEAR = 365 * 24 * HOUR
  for (const state of [
    { ...installed, checkedAtMs: NOW + YEAR },
    { ...installed, checkedAtMs: NOW - 25 * HOUR, failure: { ...failure(NOW + YEAR + 600_000), atMs: NOW + YEAR } },
  ]) {
    const world: World = { settings: on, state, nowMs: NOW, startedAtMs: NOW + YEAR, fails: false }
    const { make, did, plannedAt } = start(world)
    await make().run(new AbortController().signal)
    t.same(did, ['update'])
    t.equal(plannedAt(), NOW + 24 * HOUR)
  }
})
