import t from 'tap'
import { type DecideRules, featureCapability, type Group, type Item, type SyncFeature } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from './index.ts'
import { createPolicy } from './policy.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const policy = createPolicy()
const support = { read: true, add: true, update: true, remove: true, kinds: ['movie'] } as const
const rules: DecideRules = {
  mode: 'two_way',
  options: { enabled: true, add: true, remove: true, at_least: 5 },
  removeMode: 'source_deletes',
  mirrorApproved: false,
  restoreDeleted: false,
  sourceOfTruth: 'a',
  firstRun: false,
  lastRunStartedAtMs: 1_000,
  nowMs: 9_000,
  mayProveAbsence: { a: true, b: true },
  support: { a: support, b: support },
}

/** A film with the accounts' ratings after the last run, and their current ones. `?`: could not be read. */
function group([wasA, wasB]: readonly (number | null)[], [a, b]: readonly (number | null | '?')[]): Group {
  const seen = (rating: number | null | undefined) =>
    rating == null ? null : { value: String(rating), seenAtMs: 1_000 }
  const row = (rating: number | null | '?' | undefined) =>
    typeof rating === 'number'
      ? { item: { type: 'movie', ids: { tmdb: '603' }, rating } as Item, value: String(rating) }
      : null
  const presence = (rating: number | null | '?' | undefined) =>
    rating === '?' ? 'unknown' : rating === null ? 'absent' : 'present'
  return {
    key: 'movie:tmdb:603',
    base: { a: seen(wasA), b: seen(wasB), pendingA: null, pendingB: null, settled: null },
    a: row(a),
    b: row(b),
    presenceA: presence(a),
    presenceB: presence(b),
  }
}

for (const [was, is, wanted] of [
  [[null, null], [8, null], 'add 8 to b'],
  [[null, null], [null, 7], 'add 7 to a'],
  [[8, 8], [9, 8], 'update 9 to b'],
  [[8, 8], [8, 6], 'update 6 to a'],
  [[8, 8], [8, null], 'remove from a'],
  [[8, 8], [8, 8], 'nothing'],
  [[8, 8], [8, '?'], 'nothing'],
  [[8, 8], ['?', null], 'nothing'],
] as const) {
  const shown = (ratings: readonly unknown[]) => ratings.map((rating) => rating ?? 'none').join(' and ')
  t.test(`${shown(was)}, now ${shown(is)}: ${wanted}`, async (t) => {
    const [decision] = policy.decide([group(was, is)], rules)
    const [operation] = decision?.ops ?? []
    const done =
      operation === undefined
        ? 'nothing'
        : operation.op === 'remove'
          ? `remove from ${operation.side}`
          : `${operation.op} ${operation.item?.rating} to ${operation.side}`
    t.equal(done, wanted)
  })
}

t.test('low ratings are left alone', async (t) => {
  const items: readonly Item[] = [5, 4].map((rating) => ({ type: 'movie', ids: { tmdb: '603' }, rating }))
  const { mode, options } = rules
  const input = { mode, options, support: rules.support, playsAllowed: true, side: 'a', nowMs: 9_000 } as const
  t.match(policy.shape(items, input), [{ value: '5' }, { skip: 'out_of_scope' }])
  t.match(policy.normalize({ enabled: true, at_least: 12 }), { at_least: 10, remove: false })
})

t.test('the plugin provides the feature', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  t.equal((await host.capability<SyncFeature>(featureCapability('ratings')).describe()).label, 'Acme')
})
