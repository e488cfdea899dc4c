// How the accounts of a script behave, by words.
import type { Feature } from '@playhead/sdk'
import { type FakeAccount, FULL_SUPPORT, type Traits } from './account.ts'
import { durationOf } from './words.ts'
import type { Work } from './works.ts'

/** Traits by their words; a word may have a value. */
const TRAITS: Readonly<Record<string, (account: FakeAccount, value: string) => Traits>> = {
  stamps: () => ({ stamps: true }),
  'stamps-plays': () => ({ stampsPlays: true }),
  ahead: (_, value) => ({ aheadMs: durationOf(value) }),
  behind: (_, value) => ({ aheadMs: -durationOf(value) }),
  cache: (_, value) => ({ cacheMs: durationOf(value) }),
  days: (_, value) => ({ isDated: true, zoneMs: value === '' ? 0 : durationOf(value) }),
  'newest-first': () => ({ isNewestFirst: true }),
  stars: () => ({ ratingStep: 2 }),
  'undeclared-stars': () => ({ ratingStep: 2, hidesScale: true }),
  minutes: () => ({ positionStepMs: 60_000 }),
  cap: (_, value) => ({ cap: Number(value) }),
  'drops-undated': () => ({ dropsUndated: true }),
  'repeats-plays': () => ({ repeatsPlays: true }),
  'slow-reads': (_, value) => ({ readMs: durationOf(value) }),
  'slow-writes': (_, value) => ({ writeMs: durationOf(value) }),
  /** Nothing can be written on a condition: the engine reads the account again before. */
  blind(account) {
    account.support = supportOf(account, ({ compares: _, ...support }) => support)
    return { isBlind: true }
  },
  'without-plays': () => ({ isWithoutPlays: true }),
  'with-plays': () => ({ isWithoutPlays: false }),
  /** The plugin shows these kinds only, and says so. */
  kinds(account, value) {
    const kinds = value.split(',') as Work['type'][]
    account.support = supportOf(account, (support) => ({
      ...support,
      kinds: kinds.filter((kind) => support.kinds.includes(kind as never)) as never,
    }))
    return { unread: (['movie', 'show', 'episode'] as const).filter((kind) => !kinds.includes(kind)) }
  },
  'all-kinds'(account) {
    account.support = FULL_SUPPORT
    return { unread: [] }
  },
  verified(account) {
    account.support = supportOf(account, (support) => ({ ...support, verifyAfterWrite: true }))
    return {}
  },
  'by-item'(account) {
    account.support = supportOf(account, ({ plays: _, ...support }) => support)
    return {}
  },
  undated: (account) => set(account, { undated: true }),
  'lists-only': (account) => set(account, { tellsListsOnly: true }),
  incremental: (account) => set(account, { incremental: true }),
  needs(account, value) {
    account.support = supportOf(account, (support) => ({ ...support, needsAnyId: value.split(',') as never }))
    return {}
  },
  schemes: (account, value) => set(account, { schemes: value.split(','), knows: value.split(',') }),
}

function set(account: FakeAccount, values: Partial<FakeAccount>): Traits {
  Object.assign(account, values)
  return {}
}

type FeatureSupport = NonNullable<FakeAccount['support'][Feature]>

function supportOf(account: FakeAccount, change: (support: FeatureSupport) => FeatureSupport): FakeAccount['support'] {
  return Object.fromEntries(
    Object.entries(account.support).map(([feature, support]) => [feature, change(support as FeatureSupport)]),
  )
}

/** @param words traits, with values as `cache=2m` */
export function behave(account: FakeAccount, words: readonly string[]): void {
  for (const word of words) {
    const [name = '', value = ''] = word.split('=', 2)
    const trait = TRAITS[name]
    if (trait === undefined) throw new RangeError(`there is no trait ${name}`)
    account.traits = { ...account.traits, ...trait(account, value) }
  }
}
