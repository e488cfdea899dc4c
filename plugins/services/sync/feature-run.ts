// The context of one run of one feature, shared by reading, planning, applying and committing.
import {
  type Account,
  type AccountHealth,
  type Accounts,
  type AnimeMapping,
  type Capability,
  defined,
  type Feature,
  type FeatureSupport,
  type Item,
  type Logger,
  type Provider,
  type ProviderDescription,
  type Remote,
  type Tables,
  type ThreadWorkRegistry,
} from '@playhead/sdk'
import { chosenLibraries, type Comparing, type FeatureOptions, type Side, type SyncFeature } from '@playhead/sdk/sync'
import type { RunListener, RunOrder } from './contract.ts'
import type { Pair } from './pairs/pair.ts'
import type { Checkpoint } from './store/stage.ts'
import type { PairFeatureState } from './store/state.ts'
import type { Reading } from './library/reading.ts'
import type { ListReading } from './lists/contract.ts'
import type { Taps } from './run/ask-taps.ts'
import type { RunHooks } from './run/tapped.ts'
import type { UnchangedProofs } from './store/unchanged-proofs.ts'
import type { SideRows } from './library/rows.ts'

export interface EngineDeps {
  readonly db: Tables
  readonly log: Logger
  /** Locks on the accounts while they are read or changed. */
  readonly work: ThreadWorkRegistry
  now(): number
  /** As `ctx.use`: handles of `provider:*` and `feature:*`, looked up at each call. */
  use<T extends object>(reference: Capability<T>): Remote<T>
  readonly accounts: Remote<Accounts>
  /** The thread on which providers and features run. Default: this thread. */
  readonly reading?: Remote<Reading>
  /** The hooks that other plugins tap. Absent if there are none. */
  readonly hooks?: Remote<RunHooks>
  /** As `HostFacts.dataEpoch`. Absent if the data are never replaced. */
  readonly epoch?: string
  /** As `ThreadHost.stay`. Absent where nothing ends the thread. */
  readonly stay?: () => () => void
  /** A read with more rows than this fails. Default: two million. */
  readonly maxRows?: number
  /** Replaces the wait, in tests. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>
  /** For tests: called between the steps of a commit and of a batch. It may throw to simulate a crash. */
  readonly checkpoint?: Checkpoint
}

export interface EngineParts extends EngineDeps {
  readonly reading: Remote<Reading>
  readonly unchangedProofs: UnchangedProofs
  /** State of the current run; absent between runs. */
  readonly taps: Taps
  readonly lists: ListReading
}

export interface RunAccount {
  readonly account: Account
  readonly health: AccountHealth
  readonly description: ProviderDescription
}

export interface SideContext {
  readonly side: Side
  readonly provider: string
  readonly instance: string
  readonly uid: string
  readonly account: Account
  readonly health: AccountHealth
  readonly description: ProviderDescription
  readonly support: FeatureSupport
  readonly api: Remote<Provider>
}

/** Histories that a dry run has read, by account. A dry run stores nothing, so later features read them from here. */
export type DryHistories = Map<string, SideRows>

/** Shows that are out of scope on both sides. */
export interface DroppedShows {
  /** Part of the scope's hash. */
  readonly tokens: readonly string[]
  /** The item is an out-of-scope show, or a season or episode of one. */
  has(item: Item): boolean
}

/** The anime mapping of a run. */
export interface RunMapping {
  /** Changes whenever the mapping data change. */
  readonly revision: string
  readonly api: Remote<AnimeMapping>
}

/** The state that all features of a run share. */
export interface RunContext {
  readonly engine: EngineParts
  /** Absent outside of dry runs. */
  readonly histories?: DryHistories
  readonly order: RunOrder
  readonly listener: RunListener
  readonly signal: AbortSignal
}

export interface FeatureRun extends RunContext {
  readonly pair: Pair
  readonly feature: Feature
  readonly policy: Remote<SyncFeature>
  readonly options: FeatureOptions
  readonly sides: Readonly<Record<Side, SideContext>>
  /** Shows that are out of scope; absent until fetched. */
  readonly dropped?: DroppedShows
  readonly state: PairFeatureState | null
  /** Absent if the run is not mapped. */
  readonly mapping?: RunMapping
  /** The revision of the recorded plays of both accounts, read before the plays themselves. Null if there are none. */
  readonly recordedMark?: string | null
  /** The revision of the manual policy of both accounts, read before its adds and blocks. Absent until read. */
  readonly policyMarks?: Readonly<Record<Side, string>>
  readonly comparing: Comparing
  readonly plays: boolean
  readonly playsAllowed: boolean
  readonly dryRun: boolean
  /** Held operations that a person approved, as `isApproved` names them. All others stay guarded. */
  readonly approved: ReadonlySet<string>
  /** As `PairFeatureState.mirror`. Absent: items that the source never had are not removed from the target. */
  readonly mirror?: string
  /** Longest pause that a service may request; a longer one defers the remaining operations. Default: two minutes. */
  readonly maxWaitMs?: number
  /** The start time that the whole run of the feature uses. */
  readonly nowMs: number
}

/** Positions of a pair that does not sync history: only the service knows whether a title was finished. */
export const isWithoutHistory = ({ feature, pair }: Pick<FeatureRun, 'feature' | 'pair'>): boolean =>
  feature === 'progress' && pair.features.history?.enabled !== true

export const SIDES: readonly Side[] = ['a', 'b']
/** Kinds of writes in the order of their application. */
export const OPS = ['remove', 'update', 'add'] as const

/** Playlists have no sync feature. */
export function isSynced(feature: Feature): boolean {
  return feature !== 'playlists'
}

export function bySide<Value>(of: (side: Side) => Value): Readonly<Record<Side, Value>> {
  return { a: of('a'), b: of('b') }
}

export function other(side: Side): Side {
  return side === 'a' ? 'b' : 'a'
}

/** Whether ids of a single provider may be compared. */
export function reachOf(run: Pick<FeatureRun, 'pair'>): 'provider' | 'anywhere' {
  return run.pair.source === run.pair.target ? 'provider' : 'anywhere'
}

export function libraries(
  run: Pick<FeatureRun, 'options' | 'feature' | 'pair'>,
  side: Pick<SideContext, 'provider' | 'instance' | 'account'>,
): readonly string[] {
  const chosen = chosenLibraries(run.options, run.pair, side)
  return [...(chosen.length > 0 ? chosen : (side.account.libraries?.[run.feature] ?? []))].sort()
}

/** The fields of an item that outcomes carry. */
export function brief(item: Item) {
  const { type, title, year, season, episode, series_title, ids, show_ids } = item
  return { type, ids, ...defined({ title, year, season, episode, series_title, show_ids }) }
}
