// What the parts of one run of one feature share.
import type {
  Account,
  AccountHealth,
  Accounts,
  Capability,
  Comparing,
  Feature,
  FeatureOptions,
  FeatureSupport,
  Item,
  Logger,
  Provider,
  Remote,
  Side,
  SyncFeature,
  Tables,
} from '@playhead/sdk'
import type { Pair, RunListener, RunOrder } from './contract.ts'
import type { Checkpoint } from './store/stage.ts'
import type { PairFeatureState } from './store/state.ts'
import type { DroppedShows } from './plan/dropped-shows.ts'
import type { Locks } from './run/locks.ts'
import type { Reading } from './library/reading.ts'
import type { UnchangedProofs } from './run/unchanged.ts'
import type { SideRows } from './library/rows.ts'

export interface EngineDeps {
  readonly db: Tables
  readonly log: Logger
  now(): number
  /** As `ctx.use`: handles of `provider:*` and `feature:*`, looked up at each call. */
  use<T extends object>(reference: Capability<T>): Remote<T>
  readonly accounts: Remote<Accounts>
  /** Where providers and features are. Default: here. */
  readonly reading?: Remote<Reading>
  /** Keys, tokens and titles (`title:heat|year:1995`) that a person never wants touched on an account. */
  blocks?(provider: string, instance: string, feature: Feature): Promise<readonly string[]>
  /**
   * Another text after any change of the code that decides: of the features and providers. Absent: it cannot change.
   */
  code?(): string
  /** Rows after which a read has no end. Default two million. */
  readonly maxRows?: number
  /** Waits; for tests. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>
  /** For tests: called between the steps of a commit and of a batch, and may throw as a crash would. */
  readonly checkpoint?: Checkpoint
}

export interface EngineParts extends EngineDeps {
  readonly reading: Remote<Reading>
  readonly locks: Locks
  readonly unchangedProofs: UnchangedProofs
}

export interface SideContext {
  readonly side: Side
  readonly provider: string
  readonly instance: string
  readonly uid: string
  readonly account: Account
  readonly health: AccountHealth
  readonly support: FeatureSupport
  readonly api: Remote<Provider>
}

/** Histories that a dry run has read, by account: as nothing of it is stored, the features after it look here. */
export type DryHistories = Map<string, SideRows>

export interface FeatureRun {
  readonly engine: EngineParts
  /** Absent outside of dry runs. */
  readonly histories?: DryHistories
  readonly order: RunOrder
  readonly pair: Pair
  readonly feature: Feature
  readonly policy: Remote<SyncFeature>
  readonly options: FeatureOptions
  readonly sides: Readonly<Record<Side, SideContext>>
  /** Shows that are to be left alone; absent until they were asked for. */
  readonly dropped?: DroppedShows
  readonly state: PairFeatureState | null
  readonly comparing: Comparing
  readonly plays: boolean
  readonly playsAllowed: boolean
  readonly dryRun: boolean
  /** The run was told to do removals that a guard would hold. */
  readonly approved: boolean
  readonly listener: RunListener
  readonly signal: AbortSignal
  /** How long a service may make it wait before the rest is left. Default two minutes. */
  readonly maxWaitMs?: number
  /** Now, once for the whole run of the feature. */
  readonly nowMs: number
}

export const SIDES: readonly Side[] = ['a', 'b']
/** Writes of a side, in the order in which they are done. */
export const OPS = ['remove', 'update', 'add'] as const

/** Playlists have an order and names of their own; no feature decides about them, however many accounts have them. */
export function isSynced(feature: Feature): boolean {
  return feature !== 'playlists'
}

export function other(side: Side): Side {
  return side === 'a' ? 'b' : 'a'
}

/** How far apart the accounts of the pair are, for comparing their ids. */
export function reachOf(run: Pick<FeatureRun, 'pair'>): 'provider' | 'anywhere' {
  return run.pair.source === run.pair.target ? 'provider' : 'anywhere'
}

export function libraries(
  run: Pick<FeatureRun, 'options' | 'feature'>,
  side: Pick<SideContext, 'provider' | 'account'>,
): readonly string[] {
  const chosen = (run.options['libraries'] as Readonly<Record<string, unknown>> | undefined)?.[side.provider]
  const own =
    Array.isArray(chosen) && chosen.length > 0 ? chosen.map(String) : (side.account.libraries?.[run.feature] ?? [])
  return [...own].sort()
}

/** What is told of an item in outcomes. */
export function brief(item: Item) {
  const { type, title, year, season, episode, series_title, ids, show_ids } = item
  return {
    type,
    ids,
    ...(title === undefined ? {} : { title }),
    ...(year === undefined ? {} : { year }),
    ...(season === undefined ? {} : { season }),
    ...(episode === undefined ? {} : { episode }),
    ...(series_title === undefined ? {} : { series_title }),
    ...(show_ids === undefined ? {} : { show_ids }),
  }
}
