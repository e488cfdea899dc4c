// Helpers of the checks: features, row names, assertions.
import type { FeatureSupport } from '../../../provider/contract.ts'
import type { ReadEnd } from '../../../provider/reads/contract.ts'
import { FEATURES, type Feature } from '../../../provider/features.ts'
import { formatKey } from '../../../items/key.ts'
import { keyOf } from '../../../items/key-of.ts'
import type { Item } from '../../../items/item.ts'
import { isPlayheadError, type PlayheadErrorCode } from '../../../errors.ts'
import type { CollectedRead } from '../../../provider/reads/collect-read.ts'
import type { Bench, BenchOptions, Subject } from '../contract.ts'
import { createTokenIndex } from '../token-index.ts'

const LOCAL = 'it keeps its rows itself; there is no service that could fail'

const FAULTS = [{ kind: 'status', status: 500 }, { kind: 'html' }, { kind: 'empty' }, { kind: 'truncate' }] as const

export class Failure extends Error {}

/** Thrown when a check turns out not to apply to this provider. */
export class LeftOut extends Error {}

/** Fails the check. */
export function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Failure(otherwise)
}

export function featuresOf(
  { description }: Subject,
  wanted: (support: FeatureSupport) => boolean = ({ read }) => read,
): readonly Feature[] {
  return FEATURES.filter((feature) => {
    const support = description.features[feature]
    return support !== undefined && wanted(support)
  })
}

export const writable = ({ read, add }: FeatureSupport): boolean => read && add
export const removable = (support: FeatureSupport): boolean => writable(support) && support.remove

/** Runs the check for each feature at a fresh simulator; messages start with the feature. */
export async function each(
  subject: Subject,
  features: readonly Feature[],
  check: (bench: Bench, feature: Feature) => Promise<void>,
  options: BenchOptions = {},
): Promise<undefined> {
  for (const feature of features) {
    await using bench = await subject.open(options)
    await forFeature(feature, () => check(bench, feature))
  }
}

/** Prefixes failures with the feature. */
export async function forFeature(feature: Feature, check: () => void | Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (error instanceof LeftOut) throw error
    if (error instanceof Failure) throw new Failure(`${feature}: ${error.message}`)
    throw new Failure(`${feature}: ${textOf(error)}`)
  }
}

/** As `each`, for checkpoints. `none`: the feature has no checkpoints; if none has, the check is skipped. */
export async function eachWithCheckpoint(
  subject: Subject,
  features: readonly Feature[],
  check: (bench: Bench, feature: Feature) => Promise<'none' | void>,
  options: BenchOptions = {},
): Promise<undefined> {
  let without = 0
  await each(
    subject,
    features,
    async (bench, feature) => {
      if ((await check(bench, feature)) === 'none') without += 1
    },
    options,
  )
  if (without === features.length) throw new LeftOut('it gives no checkpoints')
}

/** Adds rows to the account; returns how many were added. A recorded account has its own number. */
export async function seeded(
  { simulator }: Pick<Bench, 'simulator'>,
  feature: Feature,
  count: number,
): Promise<number> {
  await simulator.seed(0, feature, count)
  return simulator.count(0, feature)
}

/** A row without the fields that change from read to read. */
export function printOf(row: Item): string {
  const { type, season, episode, watched_at, rating, progress_ms, native } = row
  const { event_id: eventId } = native ?? {}
  return JSON.stringify([nameOf(row), type, season, episode, watched_at, rating, progress_ms, eventId])
}

export function nameOf(row: Item): string {
  const key = keyOf(row)
  return key.ok ? formatKey(key.value) : JSON.stringify([row.type, row.ids, row.native, row.title])
}

/** Sorted, so that two reads of the same account are equal. */
export function printsOf(rows: readonly Item[]): readonly string[] {
  return rows.map(printOf).sort()
}

/** True if the ids identify one item; ids of the service itself count, too. */
export function isSameItem(one: Item, other: Item): boolean {
  const index = createTokenIndex<Item>((row) => row, { within: 'provider' })
  index.add(one)
  return index.find(other).outcome === 'match'
}

export function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index])
}

export function endText({ complete, reason, semantics }: ReadEnd): string {
  return `complete ${complete}${reason === undefined ? '' : ` (${reason})`}, ${semantics}`
}

export function failed(read: CollectedRead | { readonly error: unknown }): read is { readonly error: unknown } {
  return 'error' in read
}

export function hasCode(error: unknown, ...codes: readonly PlayheadErrorCode[]): boolean {
  return codes.some((code) => isPlayheadError(error, code))
}

export function textOf(error: unknown): string {
  return isPlayheadError(error)
    ? `${error.code}: ${error.message}`
    : error instanceof Error
      ? `${error.name}: ${error.message}`
      : String(error)
}

/** The error of a promise, or undefined. */
export async function thrownBy(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof LeftOut) throw error
    return error ?? new Error('something empty was thrown')
  }
}

/** While the service fails in any way, the call must throw, and not as if the profile were signed out. */
export async function mustNotAnswer(
  subject: Subject,
  prepare: (bench: Bench) => Promise<unknown>,
  ask: (bench: Bench) => Promise<unknown>,
): Promise<void> {
  for (const fault of FAULTS) {
    await using bench = await subject.open()
    await prepare(bench)
    bench.fault(fault)
    const error = await thrownBy(() => ask(bench))
    must(error !== undefined, `${fault.kind}: it answered`)
    must(!hasCode(error, 'PLH_NOT_READY'), `${fault.kind}: the profile is told to be signed out`)
  }
}

/** Without a sign-in the call must fail as not configured, without a request. */
export async function mustSaySignedOut(subject: Subject, ask: (bench: Bench) => Promise<unknown>): Promise<void> {
  await using bench = await subject.open({ signedIn: false })
  const error = await thrownBy(() => ask(bench))
  must(
    hasCode(error, 'PLH_NOT_READY'),
    `it gave ${error === undefined ? 'an answer' : textOf(error)}, not PLH_NOT_READY`,
  )
  must(bench.requests().length === 0, 'it asked the service')
}

/** applies(): the check needs a service that can fail. */
export function needsService({ can }: Subject): true | string {
  return can.fail || LOCAL
}

export function needsFeature(
  wanted: (support: FeatureSupport) => boolean,
  otherwise: string,
): (subject: Subject) => true | string {
  return (subject) => featuresOf(subject, wanted).length > 0 || otherwise
}

/** All conditions; the first reason counts. */
export function all(
  ...conditions: readonly ((subject: Subject) => true | string)[]
): (subject: Subject) => true | string {
  return (subject) => conditions.map((condition) => condition(subject)).find((answer) => answer !== true) ?? true
}

export const always = (): true => true

/** A value as text, with errors, stacks and causes, to search for secrets. */
export function serialise(value: unknown): string {
  const seen = new WeakSet<object>()
  const plain = (part: unknown): unknown => {
    if (typeof part === 'bigint' || typeof part === 'function' || typeof part === 'symbol') return String(part)
    if (typeof part !== 'object' || part === null) return part
    if (seen.has(part)) return '…'
    seen.add(part)
    if (part instanceof Map || part instanceof Set) return [...part].map(plain)
    if (Array.isArray(part)) return part.map(plain)
    const own = Object.entries(part).map(([key, below]) => [key, plain(below)])
    if (!(part instanceof Error)) return Object.fromEntries(own)
    return {
      ...Object.fromEntries(own),
      name: part.name,
      message: part.message,
      stack: part.stack,
      cause: plain(part.cause),
    }
  }
  return JSON.stringify(plain(value)) ?? ''
}
