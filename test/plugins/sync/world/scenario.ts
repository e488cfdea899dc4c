// Random lives of random accounts: actions of people, faults of services, and runs.
import fc from '../../../fast-check.ts'
import type { Feature } from '@playhead/sdk'
import { FakeAccount, type ReadFault, type WriteFault } from './account.ts'
import { createWorld, featureCapabilities, pairOf, type Ran, START_MS, type World } from './world.ts'
import { WORKS, type Work } from './works.ts'

export interface Action {
  readonly account: number
  readonly feature: Feature
  readonly work: number
  readonly op: 'put' | 'drop'
  /** 1 to 10: a rating, tenths of the length, minutes of a play. */
  readonly value: number
}

export interface Step {
  readonly actions: readonly Action[]
  readonly readFaults: readonly { readonly account: number; readonly fault: ReadFault }[]
  readonly writeFaults: readonly { readonly account: number; readonly fault: WriteFault }[]
  readonly days: number
}

export interface Life {
  readonly accounts: number
  readonly seed: number
  readonly incremental: boolean
  readonly start: readonly Action[]
  readonly steps: readonly Step[]
}

/** An action of a person, for the oracle. */
export interface Deed {
  readonly atMs: number
  readonly account: string
  readonly feature: Feature
  readonly work: string
  readonly op: 'put' | 'drop'
}

export const ALL_FEATURES: readonly Feature[] = ['watchlist', 'history', 'ratings', 'progress']
const READ_FAULTS: readonly ReadFault[] = [
  'throw',
  'partial',
  'empty',
  'duplicates',
  'shuffle',
  'not_configured',
  'wrong_account',
  'no_end',
  'malformed',
  'unreadable',
  'title_only',
]
const WRITE_FAULTS: readonly WriteFault[] = [
  'reject_some',
  'silent_drop',
  'applied_then_throws',
  'applied_then_unknown',
  'partial_then_throws',
  'rate_limited',
  'throws',
  'not_found',
  'too_few_outcomes',
]

export interface LifeOptions {
  readonly accounts?: number
  readonly features?: readonly Feature[]
  readonly faults?: boolean
  readonly readFaults?: readonly ReadFault[]
  readonly writeFaults?: readonly WriteFault[]
  readonly drops?: boolean
  readonly maxSteps?: number
}

export function lives({
  accounts = 2,
  features = ALL_FEATURES,
  faults = false,
  readFaults,
  writeFaults,
  drops = true,
  maxSteps = 4,
}: LifeOptions = {}): fc.Arbitrary<Life> {
  const index = fc.nat({ max: accounts - 1 })
  const action = (ops: readonly Action['op'][]) =>
    fc.record<Action>({
      account: index,
      feature: fc.constantFrom(...features),
      work: fc.nat({ max: WORKS.length - 1 }),
      op: fc.constantFrom(...ops),
      value: fc.integer({ min: 1, max: 10 }),
    })
  const reads = readFaults ?? (faults ? READ_FAULTS : [])
  const writes = writeFaults ?? (faults ? WRITE_FAULTS : [])
  const faultOf = <Fault>(list: readonly Fault[]) =>
    list.length === 0
      ? fc.constant([])
      : fc.array(fc.record({ account: index, fault: fc.constantFrom(...list) }), { maxLength: 2 })
  return fc.record({
    accounts: fc.constant(accounts),
    seed: fc.nat(),
    incremental: fc.boolean(),
    start: fc.array(action(['put']), { maxLength: 14 }),
    steps: fc.array(
      fc.record({
        actions: fc.array(action(drops ? ['put', 'put', 'drop'] : ['put']), { maxLength: 6 }),
        readFaults: faultOf(reads),
        writeFaults: faultOf(writes),
        days: fc.constantFrom(0, 0, 0, 1, 2),
      }),
      { minLength: 1, maxLength: maxSteps },
    ),
  }) as fc.Arbitrary<Life>
}

export interface Lived {
  readonly world: World
  readonly deeds: Deed[]
  act(action: Action): void
  /** Performs the step's actions, injects its faults, and runs. */
  step(step: Step): Promise<Ran>
}

export const NAMES = ['ANN', 'BEN', 'CAT', 'DAN', 'EVE'] as const

export interface WorldOptions {
  readonly mode?: 'one_way' | 'two_way'
  readonly features?: Parameters<typeof pairOf>[2] extends infer Options
    ? NonNullable<Options> extends { features?: infer Features }
      ? Features
      : never
    : never
  /** Pairs of account numbers; default: a chain. */
  readonly pairs?: readonly (readonly [number, number])[]
  readonly prepare?: (accounts: readonly FakeAccount[]) => void
}

/** A world with its accounts at the start of a life. */
export async function begin(
  life: Life,
  { mode = 'two_way', features, pairs, prepare }: WorldOptions = {},
): Promise<Lived> {
  await featureCapabilities()
  const clock = { nowMs: START_MS }
  const random = seeded(life.seed)
  const accounts = NAMES.slice(0, life.accounts).map((id) => new FakeAccount({ id, now: () => clock.nowMs, random }))
  for (const account of accounts) account.incremental = life.incremental
  prepare?.(accounts)
  const ends = pairs ?? accounts.slice(1).map((_, index) => [index, index + 1] as const)
  const list = ends.map(([from, to]) =>
    pairOf(NAMES[from] as string, NAMES[to] as string, { mode, ...(features === undefined ? {} : { features }) }),
  )
  const world = await createWorld(accounts, list, clock)
  const deeds: Deed[] = []

  function act({ account, feature, work, op, value }: Action): void {
    const who = accounts[account]!
    const what = WORKS[work]!
    if (!supports(feature, what)) return
    // No two actions have the same time.
    clock.nowMs += 61_000
    if (op === 'put') who.put(entryOf(feature, what, value))
    else if (!who.drop(feature, what)) return
    deeds.push({ atMs: clock.nowMs, account: who.id, feature, work: what.name, op })
  }

  for (const action of life.start) act(action)
  return {
    world,
    deeds,
    act,
    async step({ actions, readFaults, writeFaults, days }) {
      for (const action of actions) act(action)
      clock.nowMs += days * 86_400_000
      for (const { account, fault } of readFaults) accounts[account]!.readFaults.push(fault)
      for (const { account, fault } of writeFaults) accounts[account]!.writeFaults.push(fault)
      try {
        return await world.run()
      } finally {
        for (const account of accounts) {
          account.readFaults.length = 0
          account.writeFaults.length = 0
        }
      }
    },
  }
}

/** Runs a life to its end and returns all runs. */
export async function live(life: Life, options: WorldOptions = {}): Promise<Lived & { readonly runs: readonly Ran[] }> {
  const lived = await begin(life, options)
  const runs: Ran[] = []
  for (const step of life.steps) runs.push(await lived.step(step))
  return { ...lived, runs }
}

export function supports(feature: Feature, work: Work): boolean {
  if (feature === 'watchlist') return work.type !== 'episode'
  if (feature === 'ratings') return true
  return work.type !== 'show'
}

export function entryOf(feature: Feature, work: Work, value: number) {
  return {
    work,
    feature,
    ...(feature === 'ratings' ? { rating: value } : {}),
    // Between a twelfth and ten twelfths of the length: never far enough to count as watched.
    ...(feature === 'progress' ? { positionMs: value * 600_000 } : {}),
  }
}

/** The data of an account, without times. */
export function holdings(account: FakeAccount, feature?: Feature): string[] {
  return account.entries
    .filter((entry) => feature === undefined || entry.feature === feature)
    .map(({ feature: own, work, rating, positionMs }) => [own, work.name, rating ?? '', positionMs ?? ''].join('|'))
    .filter((text, index, all) => all.indexOf(text) === index)
    .toSorted()
}

/** Works that have ids; others are never synced. */
export function withIds(texts: readonly string[]): string[] {
  return texts.filter((text) => !text.includes('|nameless|'))
}

/** https://en.wikipedia.org/wiki/Xorshift */
export function seeded(seed: number): () => number {
  let state = seed | 0 || 0x9e3779b9
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 0x1_0000_0000
  }
}
