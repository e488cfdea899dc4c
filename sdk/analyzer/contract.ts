// The contract of an analyzer: one rule that checks the rows of accounts and reports problems. A plugin provides it
// as the capability `analyzer:<name>`; the analyzer service runs all of them in one pass on a thread of its own.
import { type Capability, capabilityFamily } from '../capability.ts'
import type { Attention } from '../capabilities/attention.ts'
import type { AccountName } from '../capabilities/accounts.ts'
import type { AccountChange } from '../capabilities/library.ts'
import type { OpenItem, StoredState } from '../capabilities/sync.ts'
import type { PluginSummary } from '../context.ts'
import type { DataLeftover } from '../data.ts'
import type { Ids } from '../items/id-schemes.ts'
import type { Item } from '../items/item.ts'
import type { ProviderDescription } from '../provider/contract.ts'
import type { Feature } from '../provider/features.ts'
import type { LentModule } from '../thread.ts'

/** The capabilities of all analyzers. */
export const ANALYZERS = capabilityFamily<AnalyzerService>('analyzer:')

export type Severity = 'error' | 'warn' | 'info'
export type AnalyzedFeature = Exclude<Feature, 'playlists'>
export const ANALYZED_FEATURES = ['history', 'progress', 'ratings', 'watchlist'] as const satisfies AnalyzedFeature[]

/** The severity in `attention` for a problem's severity. */
export const ATTENTION_SEVERITY: Readonly<Record<Severity, Attention['severity']>> = {
  error: 'error',
  warn: 'warning',
  info: 'info',
}

/** A kind of problem that a rule reports. */
export interface ProblemKind {
  /** `missing_peer`; unique over all rules. */
  readonly type: string
  /** For people: a name for the problem, in two or three words. Default: the rule's label, or the words of `type`. */
  readonly label?: string
  readonly severity: Severity
  /** `peer`, `ids`, `history`, `anime`, `artifact`, `provider`, `orchestrator`, or a word of the rule's own. */
  readonly category: string
  /** For people: the meaning, in a sentence. */
  readonly meaning: string
  /** For people: the effect of `fix`. Absent: there is no fix. */
  readonly fix?: string
  /**
   * Fields of its findings (texts, numbers, booleans) that the fix takes: a page sends them with the request. A finding
   * that lacks one of them is fixed only by a request that names it.
   */
  readonly fixFields?: readonly string[]
  /**
   * A person decides which value is right: the findings have the field `values`, by the names of accounts, and the fix takes
   * `keep`, one of these names.
   */
  readonly isChoice?: boolean
}

export interface RuleNeeds {
  /** The features whose rows the rule reads. Absent or empty: it only reads the world. */
  readonly features?: readonly AnalyzedFeature[]
  /** Rows come with the matching rows of the other accounts of their pairs, see `AnalyzerRow.peers`. */
  readonly peers?: boolean
  /** Rows come with cached release dates and ids, see `AnalyzerRow`. Nothing is requested for it. */
  readonly metadata?: boolean
  /**
   * The rule checks the service instead of items: only `begin` and `end` are called, and its problems are listed at
   * `GET /api/analyzer/system`.
   */
  readonly system?: boolean
}

/** A row of a page. Do not keep it: it is reused. */
export interface AnalyzerRow {
  readonly key: string
  /** Parsed on first access. */
  readonly item: Item
  /** The time of the row's feature (added, watched, rated, paused), epoch milliseconds; NaN if there is none. */
  readonly atMs: number
  /** The row's time is a day. */
  readonly isDay: boolean
  /** 0 if it is unknown. */
  readonly rating: number
  /** The account has no later row of the item. With `needs.peers`; true otherwise. */
  readonly isLatest: boolean
  /**
   * Key of another row of the account that shares an id, of history at the same second; undefined if there is none. With
   * `needs.peers`.
   */
  readonly copyOf: string | undefined
  /** One per route of its account, with `needs.peers`; empty otherwise. */
  readonly peers: readonly Peer[]
  /** First release, `2026-07-01`, with `needs.metadata`; undefined if it is not cached. */
  readonly released: string | undefined
  /**
   * The ids that the metadata service knows for the work with the row's TMDB id; for a season or episode those of its
   * show; with `needs.metadata`. undefined if they are not cached.
   */
  readonly known: Ids | undefined
}

/** The state of a row at the other end of a route. */
export interface Peer {
  readonly route: Route
  /**
   * - `found`: it has the item; for routes of single plays, this play
   * - `missing`: it does not
   * - `blocked`: it does not, and a person blocked that
   * - `filtered`: the route leaves the item out
   * - `unknown`: it was not found, but rows of the feature could not be read, see `UnreadableRows`
   */
  readonly state: 'found' | 'missing' | 'blocked' | 'filtered' | 'unknown'
  /** The reason for `filtered`: `type`, `library`, `not_rated`, `transient`, `position`. */
  readonly reason?: string
  /** The row there, if it is `found`. */
  readonly row?: PeerRow
}

export type PeerRow = Pick<AnalyzerRow, 'key' | 'item' | 'atMs' | 'isDay' | 'rating'>

/** Rows of one account and feature, in stored order. At most 1000. */
export interface AnalyzerPage {
  readonly account: AnalyzerAccount
  readonly feature: AnalyzedFeature
  readonly rows: readonly AnalyzerRow[]
}

export interface AnalyzerAccount extends AccountName {
  /** `TRACKA`, or `TRACKA@TRACKA-P01` for other profiles than the default one. */
  readonly name: string
  /** For display: `Trakt`. */
  readonly label: string
  readonly group: ProviderDescription['group']
  /** The profile is configured. */
  readonly isConfigured: boolean
  /** The profile exists. */
  readonly exists: boolean
}

/** One direction of a pair and feature. */
export interface Route {
  readonly pairId: string
  readonly feature: AnalyzedFeature
  readonly source: AnalyzerAccount
  readonly target: AnalyzerAccount
  /** History: single plays are compared. */
  readonly plays: boolean
  readonly options: Readonly<Record<string, unknown>>
}

export interface HeldRows {
  readonly account: AnalyzerAccount
  readonly feature: AnalyzedFeature
  readonly count: number
  readonly readAtMs: number | null
}

/** All other known facts. */
export interface AnalyzerWorld {
  readonly nowMs: number
  readonly accounts: readonly AnalyzerAccount[]
  /** Selected, enabled pairs with their enabled features. */
  readonly routes: readonly Route[]
  readonly pairs: readonly AnalyzerPair[]
  readonly holdings: readonly HeldRows[]
  readonly anime: {
    /** The mapping plugin is active. */
    readonly exists: boolean
    readonly enabled: boolean
    /** Data sets or rules exist. */
    readonly ready: boolean
    readonly features: readonly Feature[]
  }
  /** A metadata service, which knows titles and further ids, is configured. */
  readonly metadataReady: boolean
  readonly stored: StoredState
  /** Open items of the sync, at most 20,000. */
  readonly open: readonly OpenItem[]
  readonly plugins: readonly PluginSummary[]
  /** For checks of the service: temporary files of interrupted writes. */
  readonly leftovers: readonly DataLeftover[]
}

export interface AnalyzerPair {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly source: AnalyzerAccount
  readonly target: AnalyzerAccount
  readonly options: { readonly [feature in Feature]?: Readonly<Record<string, unknown>> }
}

/** A problem that a rule found. */
export interface Finding {
  /** One of the rule's `problems`. */
  readonly type: string
  /** The key of a row of the page, for problems of items. */
  readonly key?: string
  /** The account and feature, for problems that are not about a single row. Default: those of the page. */
  readonly account?: AccountName
  readonly feature?: Feature
  /** Default: that of the kind. */
  readonly severity?: Severity
  /** For people, in a sentence. Default: the kind's meaning. */
  readonly message?: string
  /** Further fields of the problem, in wire form: plain data, at most 4 KiB as JSON. */
  readonly fields?: Readonly<Record<string, unknown>>
}

/**
 * Stored rows of one account and feature that could not be read and are on no page. Nothing proves that the account lacks
 * an item: it may be one of them.
 */
export interface UnreadableRows {
  readonly account: AnalyzerAccount
  readonly feature: AnalyzedFeature
  /** Rows that are not valid JSON. */
  readonly notJson: number
  /** Rows that are not valid items. */
  readonly noItem: number
  /** Keys of some of them, at most five. */
  readonly keys: readonly string[]
}

/** A pass over the library. Both are called in turn and must return soon: the whole rule has 20 seconds per pass. */
export interface RulePass {
  inspect?(page: AnalyzerPage): Iterable<Finding>
  /** After the last page. @param unreadable none for checks of the service */
  end?(unreadable: readonly UnreadableRows[]): Iterable<Finding>
}

/** A finding to fix, with the current row. */
export interface FixRequest {
  readonly type: string
  readonly account: AnalyzerAccount
  readonly feature: AnalyzedFeature
  readonly row: { readonly key: string; readonly item: Item }
  /** The matching rows of the other accounts of its pairs. */
  readonly peers: readonly {
    readonly account: AnalyzerAccount
    readonly state: Peer['state']
    readonly row?: { readonly key: string; readonly item: Item }
  }[]
  /** Rows of any account with the same title, year and type. */
  readonly namesakes: readonly (AccountName & { readonly key: string; readonly item: Item })[]
  /** Further fields of the request. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** The changes of a fix. The rule itself writes nothing. */
export interface FixPlan {
  /** For people, one line per change. */
  readonly changes: readonly string[]
  /** The row with corrected ids, titles and year. Stored only locally; services are not called. */
  readonly correct?: Item
  /** Changes to an account, planned and applied by the library after the person confirmed. */
  readonly plan?: AccountName & { readonly feature: AnalyzedFeature; readonly changes: readonly AccountChange[] }
  /** The account whose values the plan writes to another one. */
  readonly from?: AccountName
}

/** The input of `defineAnalyzer`. */
export interface AnalyzerRule {
  readonly label: string
  readonly problems: readonly ProblemKind[]
  readonly needs?: RuleNeeds
  /** Starts a pass. Absent: `inspect` is called with each page. */
  begin?(world: AnalyzerWorld): RulePass
  /** For rules that need nothing but the page. */
  inspect?(page: AnalyzerPage, world: AnalyzerWorld): Iterable<Finding>
  /**
   * Returns the changes that would resolve a finding.
   *
   * @throws `PLH_INVALID` with a wire code if it cannot be resolved; nothing is changed then
   */
  fix?(request: FixRequest): FixPlan
}

export interface RuleDescription {
  readonly label: string
  readonly problems: readonly ProblemKind[]
  readonly needs: RuleNeeds
  readonly fixes: readonly string[]
}

/** The capability of a rule's plugin. */
export interface AnalyzerService {
  describe(): RuleDescription
  /** The module whose default export has the rule. */
  module(): Promise<LentModule>
}

/** The capability of a rule, by the name in `provides`: `analyzer:<name>`. */
export function analyzerCapability(name: string): Capability<AnalyzerService> {
  return ANALYZERS.of(name)
}
