// The capability `library`: the last known rows of all accounts, per account and merged across accounts, for display
// and for plugins. Sync runs do not use it. Every change to a single account (editor, restore, tools) is planned and
// applied here.
import { capability } from '../capability.ts'
import type { ExportRow } from '../exporter/contract.ts'
import { isItem } from '../items/is-item.ts'
import type { Item } from '../items/item.ts'
import type { ItemKind } from '../items/kind.ts'
import type { ChangeOutcomeKind, WriteItem } from '../provider/writes/contract.ts'
import type { Feature } from '../provider/features.ts'
import type { AccountName } from './accounts.ts'
import type { RecordedSource, RunResult, RunStart } from './sync.ts'

export const LIBRARY = capability<LibraryService>('library')

/** One account and feature, with its counts. */
export interface Holding {
  readonly provider: string
  readonly instance: string
  readonly feature: Feature
  /** End of the last complete read, epoch milliseconds; null if it was never read. */
  readonly readAtMs: number | null
  readonly count: number
  /** Equal revisions mean equal rows. Absent: unknown. */
  readonly revision?: string
}

export interface LibraryRow {
  /** Unique within the account and feature. */
  readonly key: string
  readonly item: Item
}

/** A page of `LibraryService.texts`. */
export interface PageOfText {
  readonly rows: readonly (readonly [key: string, item: Item])[]
  /**
   * Rows as they are stored: parsed, or as text if they are not valid JSON. A damaged row proves nothing about other
   * rows, nor about the account.
   */
  readonly damaged: readonly unknown[]
}

/**
 * The rows of a page of `LibraryService.texts`, each a JSON text of `[key, item]`, to find out which ones changed without
 * parsing all of them. A damaged row may be several lines.
 */
export function linesOfText(text: string): readonly string[] {
  const inner = text.slice(1, -1)
  return inner === '' ? [] : inner.split(',\n')
}

export function pageOfText(text: string): PageOfText {
  const page = parsedText(text)
  const all: readonly unknown[] = Array.isArray(page) ? page : linesOfText(text).map((line) => parsedText(line) ?? line)
  const rows = all.filter(isRow)
  return { rows, damaged: rows.length === all.length ? [] : all.filter((row) => !isRow(row)) }
}

function isRow(row: unknown): row is readonly [string, Item] {
  return Array.isArray(row) && typeof row[0] === 'string' && isItem(row[1])
}

function parsedText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** An account's row of a merged item. */
export interface AccountRow extends LibraryRow, AccountName {
  /** When the account was read, epoch milliseconds. */
  readonly readAtMs: number
}

/** One item over all accounts that have it. */
export interface MergedItem {
  /** Best key of the item. */
  readonly key: string
  /** All keys of the item, including `key`. */
  readonly names: readonly string[]
  /**
   * Merged from the rows: the row with the most ids first, the others fill its gaps. Server-specific ids are removed.
   */
  readonly item: Item
  readonly type: 'movie' | 'tv' | 'anime'
  /** The latest added time that an account reports; null if none does. */
  readonly added: (AccountName & { readonly atMs: number; readonly text: string }) | null
  readonly rows: readonly AccountRow[]
}

export interface MergedQuery {
  readonly feature: Feature
  /** Include accounts that are not signed in. Default false. */
  readonly signedOut?: boolean
}

export interface UnitedCounts {
  readonly total: number
  /** Latest read of any of the accounts, epoch milliseconds; null before the first. */
  readonly lastReadAtMs: number | null
  /** Number of items per type for each exact set of providers, in order. */
  readonly held: readonly {
    readonly providers: readonly string[]
    readonly type: MergedItem['type']
    readonly count: number
  }[]
}

/** Changes to one account in one feature. */
export interface AccountChanges extends AccountName {
  readonly feature: Feature
  /** The changes are single plays, each with its time. History only. */
  readonly plays?: boolean
  /** In any order; removals run first, then updates, then adds. A key occurs at most once per `op`. */
  readonly changes: readonly AccountChange[]
  /** The caller, for the journal and the plan page: `watchlist_tool`, `editor`, … */
  readonly cause: string
  /** The live read that the changes are based on: nothing is sent to another account. Default: that of the stored rows. */
  readonly read?: Pick<LiveEnd, 'account' | 'count' | 'readAtMs'>
}

/** `current`: the account's row. Default: the stored row with the same key. */
export interface AccountChange extends WriteItem {
  readonly op: 'add' | 'update' | 'remove'
}

/** A stored plan; nothing is written yet. */
export interface ChangePlan {
  readonly planId: string
  readonly ready: Readonly<Record<AccountChange['op'], number>>
  /** Removals that `apply` skips unless approved: a mass deletion, or removals that affect other data. */
  readonly held: { readonly count: number; readonly reason: 'mass_delete' | 'removal_side_effects' } | null
  /** Changes that are never sent: `missing_ids` if the item has only a title, `vetoed` by a plugin (`filterPlan`). */
  readonly leftOut: readonly {
    readonly key: string
    readonly op: AccountChange['op']
    readonly reason: string
    /** A plugin's veto or change: its id, and its reason in a sentence. */
    readonly note?: string
  }[]
}

export interface ChangeOutcome {
  readonly key: string
  readonly op: AccountChange['op']
  /** `meaningOf` returns its meaning. */
  readonly outcome: ChangeOutcomeKind
  readonly reason?: string
  /** A plugin's veto or change: its id, and its reason in a sentence. */
  readonly note?: string
}

/** A play that was recorded at an account outside a run, for example by a scrobble. */
export interface RecordedPlay extends AccountName {
  /** The played item with ids; a title alone is not enough. */
  readonly item: Item
  /**
   * The time that the account stored, epoch milliseconds; null if it reports none: then any row between start and end (plus ten
   * minutes) is this play.
   */
  readonly watchedAtMs: number | null
  /**
   * When the person played it, epoch milliseconds: a play of another account within this span (two minutes tolerance on
   * both ends) is the same play. Of a span longer than 48 hours, only the last 48 hours count.
   */
  readonly startedAtMs: number
  readonly endedAtMs: number
}

/** A play that an account will record: it is in progress, or its scrobble waits for delivery. */
export interface ExpectedPlay extends Omit<RecordedPlay, 'watchedAtMs'> {
  /** Epoch milliseconds. After this time the play is no longer expected. */
  readonly untilMs: number
}

/** Part of the rows of an account and feature. */
export interface LibraryPageQuery extends AccountName {
  readonly feature: Feature
  readonly offset: number
  /** At most 5000. */
  readonly limit: number
  /** Rows whose titles, year, ids or key contain every word of the text. */
  readonly search?: string
  /** Default: in stored order. Rows without the value are last. */
  readonly sort?: 'title' | 'year' | 'time'
  readonly descending?: boolean
}

export interface LibraryPage {
  readonly rows: readonly LibraryRow[]
  /** Rows that match the search. */
  readonly total: number
  /** All rows of the account. */
  readonly count: number
  /** As in `Holding`; null for an account that was never read. Own trackers are always current. */
  readonly readAtMs: number | null
  /** Equal revisions mean equal rows. Empty: there are none. */
  readonly revision: string
}

/** Rows of some accounts, united. */
export interface UnitedRowsQuery {
  readonly accounts: readonly AccountName[]
  readonly features: readonly ExportRow['feature'][]
  /** Ratings of played items are values of their plays, not rows of their own. */
  readonly joinsRatings?: boolean
  /** Only these kinds. */
  readonly kinds?: readonly ItemKind[] | null
  /** Rows whose key, titles, year or ids contain every word of the text. */
  readonly search?: string
  /** Only rows with these keys. */
  readonly keys?: readonly string[] | null
  /** Only the latest play of each item. */
  readonly latestOnly?: boolean
  /** `stored` (default): as the accounts have them. `works`: a show, its first season, its episodes, the next season. */
  readonly order?: 'stored' | 'works'
}

/** First the numbers of rows, then the rows in pages of at most 500. */
export type UnitedRowsPart =
  | {
      readonly type: 'about'
      /** Equal revisions mean equal rows, for equal accounts and features. */
      readonly revision: string
      /** Rows that match, also of kinds that are not asked for. */
      readonly counts: Readonly<Record<ItemKind, number>>
    }
  | { readonly type: 'rows'; readonly rows: readonly ExportRow[] }

/**
 * - `replace`: the stored rows become those of the read.
 * - `merge`: stored rows that the read lacks stay until a run reads the account.
 */
export interface RefreshOptions {
  readonly mode?: 'replace' | 'merge'
  /** Reads and compares without storing anything. */
  readonly dryRun?: boolean
  /** A read that lacks suspiciously many rows, or is of another account, is stored all the same. */
  readonly approved?: boolean
}

/** The difference between a read and the stored rows. */
export interface RefreshReport {
  /** `refused`: see `reason`; nothing was stored. */
  readonly outcome: 'stored' | 'dry_run' | 'refused'
  /** `account_changed`, `empty_read`, `shrunk_read`, or why the read is incomplete. */
  readonly reason?: string
  /** Rows that were read. */
  readonly count: number
  readonly added: number
  readonly removed: number
  readonly changed: number
  /** End of the read, epoch milliseconds. */
  readonly readAtMs: number
}

/** The scope of a live read. */
export interface LiveScope {
  /** History: one row per play. */
  readonly plays: boolean
  /** The libraries chosen in the settings; empty means all. */
  readonly libraries: readonly string[]
}

/** The end of a live read: all rows of the account were returned, and this was verified. */
export interface LiveEnd {
  /** As `AccountHealth.account`: which account was read. */
  readonly account: string
  /** Rows that were returned. */
  readonly count: number
  /** Rows that the service announced; null if it does not say. */
  readonly expected: number | null
  /** Rows at the last read of a run or an import; null if there was none. */
  readonly known: number | null
  /**
   * The read is complete, but lacks so many known rows that the service may hide them temporarily: for example a server
   * whose disk is missing.
   */
  readonly doubt: 'empty_read' | 'shrunk_read' | null
  /** Rows that could not be identified and were not returned (two hundred at most), or only by their title. */
  readonly unreadable: readonly { readonly reason: string; readonly title?: string }[]
  /** Known rows that left the library, without proof that they were removed. */
  readonly gone: number
  /** Epoch milliseconds. */
  readonly readAtMs: number
}

/** A `scope`, any number of `rows`, and an `end`. A stream without an end proves nothing. */
export type LivePart =
  | { readonly type: 'scope'; readonly scope: LiveScope }
  | {
      readonly type: 'rows'
      /** At most 250. Equal keys are different rows. */
      readonly rows: readonly LibraryRow[]
      /** Rows that the service announced so far. */
      readonly total?: number
    }
  | { readonly type: 'end'; readonly end: LiveEnd }

/** The account that a caller's rows are compared with, or that should have them. */
export interface RowsOf extends AccountName {
  readonly feature: Feature
  /** For `planTarget`: the caller, for the journal: `restore`, `import`, … */
  readonly cause?: string
  /** Plans with the same group are undone together, by `undo(group)`. At most 100 letters, digits, `_`, `-`. */
  readonly group?: string
}

/**
 * The rows of a film, a show, a season or an episode. Rows that share an id within the provider, also through other
 * rows, are one work unless their ids contradict each other. Each row is in one work.
 */
export interface ComparedWork {
  /** Rows of the caller, in their order; at least one. */
  readonly given: readonly LibraryRow[]
  /** Rows of the account. */
  readonly held: readonly LibraryRow[]
  /** Rows of the account share an id with the given ones and are another work: nothing may be written. */
  readonly isContradicted: boolean
  /**
   * Keys of the given rows that the account has: all of a work that it has. For plays those that it has too, one to one: equal
   * times first (to the minute), then times within six hours, because services note the start, the end or when they noticed it,
   * and days within the time zones (14 hours). Plays of equal times are one.
   */
  readonly present: readonly string[]
}

/** First the end of the read, then the works, about 250 rows a page. */
export type ComparisonPart =
  | { readonly type: 'read'; readonly end: Pick<LiveEnd, 'account' | 'count' | 'doubt' | 'readAtMs'> }
  | { readonly type: 'works'; readonly works: readonly ComparedWork[] }

/**
 * - `add`: adds missing rows. Nothing is changed or removed.
 * - `update`: also changes other values (ratings, positions).
 * - `exact`: also removes rows that the target lacks.
 * - `replace`: removes everything first, then adds. The account is empty in between.
 *
 * Plays of one item within a minute are the same play. Rows that could not be added again are never removed.
 */
export type TargetMode = 'add' | 'update' | 'exact' | 'replace'

/** Work that ended and that people expect in the list of runs. */
export interface RecordedRun {
  /** The `group` of its plans: their writes are counted, and `undo(id)` undoes it. Small letters, a dash, a name. */
  readonly id: string
  readonly source: RecordedSource
  /** Null: it changed no account. */
  readonly account: AccountName | null
  readonly features: readonly Feature[]
  /** Epoch milliseconds. */
  readonly startedAtMs: number
  readonly finishedAtMs: number
  /** `failed` although something was written is recorded as `partial`. */
  readonly result: RunResult
  /** A code of `reasonLabel`, unless the work ended well. */
  readonly reason?: string
}

export interface TargetOptions {
  readonly mode: TargetMode
  /** false: only compares; `planIds` is empty. Default true. */
  readonly keep?: boolean
  /** The plans can be viewed, but not applied. */
  readonly dryRun?: boolean
}

/** The remaining differences between the account and the target, and the stored plans that resolve them. */
export interface TargetPlan {
  /** In the order in which they must be applied; empty if there is nothing to do. */
  readonly planIds: readonly string[]
  /** Rows of the account, and of the target. */
  readonly current: number
  readonly wanted: number
  readonly ready: Readonly<Record<AccountChange['op'], number>>
  readonly held: ChangePlan['held']
  /** Numbers of changes that are never sent, by reason: `missing_ids`, `unsupported_kind`, `read_only`, `exact_play_unknown`. */
  readonly leftOut: Readonly<Record<string, number>>
  /** The first two hundred changes, with a reason for those that are never sent. */
  readonly changes: readonly { readonly op: AccountChange['op']; readonly key: string; readonly reason?: string }[]
  /** Account of the compared read; as in `LiveEnd`. */
  readonly account: string
  readonly scope: LiveScope
  readonly doubt: LiveEnd['doubt']
  readonly readAtMs: number
}

export interface ApplyOptions {
  /** Also applies the operations that the plan holds. */
  readonly approved?: boolean
  /** Id of the caller's hold of the account (`ctx.work`). */
  readonly within?: string
  /**
   * For plans with many changes: returns no outcomes (see `tally`), and waits for pauses that the service asks for, up to
   * two minutes each.
   */
  readonly long?: boolean
}

/** Progress of a plan. */
export interface PlanTally {
  readonly isDone: boolean
  /** `deferred`: not sent, or not yet. */
  readonly counts: readonly {
    readonly op: AccountChange['op']
    readonly outcome: ChangeOutcome['outcome']
    readonly count: number
  }[]
  /** The first five hundred changes that are not applied. */
  readonly open: readonly ChangeOutcome[]
}

export interface LibraryService {
  /** All accounts of a feature that were read at least once. */
  holdings(feature: Feature): Promise<readonly Holding[]>
  /**
   * What can be shown now: as `holdings`, without accounts that were removed or never read, and own trackers as they are
   * now, whose `readAtMs` is null.
   */
  currentHoldings(features: readonly Feature[]): Promise<readonly Holding[]>
  /**
   * Rows of an account, in pages of at most 1000; none if it was never read.
   *
   * @throws `PLH_NOT_READY` (`damaged_rows`) at a damaged row: an omitted row could be taken for missing
   */
  rows(provider: string, instance: string, feature: Feature): AsyncIterable<readonly LibraryRow[]>
  /**
   * As `rows`, as text: each page is a JSON array of `[key, item]`, one row per line. For threads that read everything:
   * a text crosses between threads at a fraction of the cost of its objects. Damaged rows are returned as stored: read
   * the pages with `pageOfText`.
   */
  texts(provider: string, instance: string, feature: Feature): AsyncIterable<string>
  /** The current rows of these keys. At most 500 keys. */
  items(provider: string, instance: string, feature: Feature, keys: readonly string[]): Promise<readonly LibraryRow[]>
  /**
   * Rows of an account that belong to the works of these items, in pages: the rows of a film, or of a show and all its
   * seasons and episodes. They share an id within the account; ids may contradict, see `contradicts`. As `rows`, without
   * passing on the other rows.
   */
  rowsOfWorks(
    provider: string,
    instance: string,
    feature: Feature,
    items: readonly Item[],
  ): AsyncIterable<readonly LibraryRow[]>
  /** Rows of an account, searched and sorted. Rows of Playhead's own tracker are always current. */
  page(query: LibraryPageQuery): Promise<LibraryPage>
  /**
   * Rows of several accounts and features as one list. Rows with the same key, and plays also with the same time, are one:
   * the row with more ids wins, the others fill its gaps. Plays of an item are numbered by time. The rows stay the same
   * until the end of the iteration, even if an account is read meanwhile.
   *
   * @throws `PLH_NOT_READY` (`damaged_rows`) at a damaged row
   */
  unitedRows(query: UnitedRowsQuery): AsyncIterable<UnitedRowsPart>
  /**
   * Reads all rows of an account now and stores them for display, as a run would before it writes. No pair learns from
   * it: the next run reads the account itself, and a missing row counts as removed only if that run confirms
   * it.
   *
   * @throws `PLH_NOT_FOUND` for an unknown account, `PLH_UNSUPPORTED` (`unsupported_feature`) if its provider
   *   cannot read the feature, `PLH_CONFLICT` (`busy`) while a run uses the account, and errors of the provider
   */
  refresh(account: AccountName, feature: Feature, options?: RefreshOptions): Promise<RefreshReport>
  /**
   * Reads all rows of an account in a feature now: all kinds, each play, the rows of the chosen libraries. Stores
   * nothing. The account is not locked: hold it with `ctx.work` where a run in between would matter.
   *
   * @throws `PLH_NOT_FOUND` for an unknown account, `PLH_UNSUPPORTED` (`unsupported_feature`),
   *   `PLH_UPSTREAM_INVALID` (`read_incomplete`, with `details.reason`) instead of an end if rows may be missing, and
   *   errors of the provider
   */
  live(account: AccountName, feature: Feature, signal?: AbortSignal): AsyncIterable<LivePart>
  /**
   * Begins a list of rows of the caller, which may be too many for one call: for example those of a file, for
   * `compareRows`, or the wanted rows of an account, for `planTarget`. Returns its id. It is dropped half an hour after
   * its last use.
   *
   * @example
   * const id = await library.beginRows({ provider, instance, feature: 'history', cause: 'restore' })
   * for await (const page of pages) await library.addRows(id, page.map((row) => JSON.stringify(row)))
   * for await (const part of library.compareRows(id)) …
   * const { planIds, held } = await actions.planTarget(id, { mode: 'exact' })
   * for await (const part of actions.applyInOrder(planIds, { dependent: true })) …
   * const left = await actions.planTarget(id, { mode: 'exact', keep: false })
   * await library.dropRows(id)
   */
  beginRows(of: RowsOf): Promise<string>
  /** @param rows `LibraryRow`s as JSON, which crosses threads more cheaply than objects. At most 1000. */
  addRows(id: string, rows: readonly string[]): Promise<void>
  /**
   * Reads the account completely and compares it, work by work. Writes nothing. Like `live`, it does not lock the account.
   *
   * @throws as `live`, and `PLH_NOT_FOUND` for a list that was dropped
   */
  compareRows(id: string, signal?: AbortSignal): AsyncIterable<ComparisonPart>
  dropRows(id: string): Promise<void>
  /**
   * Deletes stored rows of an account, at most 500 by key, and returns their number. Neither the service nor another
   * account is changed: rows that the account still has return with its next read. For rows of deleted profiles the
   * deletion is final.
   *
   * @throws `PLH_CONFLICT` (`busy`) while a run uses the account
   */
  forgetRows(account: AccountName, feature: Feature, keys: readonly string[]): Promise<number>
  /** Changes with the items, their accounts, and each read. */
  revision(query: MergedQuery): Promise<string>
  /** Merged items, newest first, in pages of at most 250. */
  mergedItems(query: MergedQuery & { readonly limit?: number }): AsyncIterable<readonly MergedItem[]>
  /** Merged items that match any of the keys. At most 500 keys. */
  itemsByKeys(query: MergedQuery, keys: readonly string[]): Promise<readonly MergedItem[]>
  counts(query: MergedQuery): Promise<UnitedCounts>
  /**
   * Plans changes against the account's current rows. Writes nothing. A plan is kept for 30 days. People see it as the
   * plan of a run, and may run it: `sync.start({ plan_id })` reads the account again and applies the valid operations.
   *
   * @throws `PLH_NOT_FOUND` for an unknown account, `PLH_UNSUPPORTED` (`unsupported_feature`) if it does not support
   *   one of the operations
   */
  plan(changes: AccountChanges): Promise<ChangePlan>
  /**
   * Applies a plan once. Returns one outcome per change. Removed items stay removed: pairs treat the removal as if the
   * person had made it at the service.
   *
   * @param signal ends it after the current batch; the rest is `deferred` (`cancelled`)
   * @throws `PLH_CONFLICT`: `busy` while a run holds the account, `plan_applied`, `account_changed`; `PLH_NOT_FOUND`
   *   (`plan_not_found`)
   */
  apply(planId: string, options?: ApplyOptions, signal?: AbortSignal): Promise<readonly ChangeOutcome[]>
  /** @throws `PLH_NOT_FOUND` (`plan_not_found`) */
  tally(planId: string): Promise<PlanTally>
  /**
   * Reads the account completely and plans what it lacks of the rows. May be called again, for example after the plans
   * were applied. Like `live`, it does not lock the account. The rows belong to the account that was read first: plans
   * and their `apply` fail once another person has signed in to the profile. People see the plans and cannot run them:
   * only the caller knows the other steps, for example a capture beforehand.
   *
   * @throws as `compareRows`, and `PLH_CONFLICT` (`account_changed`)
   */
  planTarget(id: string, options: TargetOptions, signal?: AbortSignal): Promise<TargetPlan>
  /**
   * All pairs forget the account in a feature, including its tombstones: their next run is a first run and removes
   * nothing because of rows that the account lacks.
   *
   * @throws `PLH_NOT_FOUND` for an unknown account
   */
  forget(account: AccountName, feature: Feature): Promise<void>
  /**
   * As `apply`, but waits for a run that uses the account, up to `waitMs` milliseconds. After that the plan is queued
   * and null is returned; it is applied as soon as the account is free, also after a restart. Queued plans of one
   * account are applied in order; none is applied twice, and operations that an interrupted process may have sent are
   * not sent again. `outcomes` has the result.
   *
   * @throws `PLH_CONFLICT`: `plan_applied`, `plan_waiting`; `PLH_NOT_FOUND` (`plan_not_found`)
   */
  applyWhenFree(
    planId: string,
    options: { readonly approved?: boolean; readonly waitMs: number },
  ): Promise<readonly ChangeOutcome[] | null>
  /**
   * The outcomes of a plan, one per change; null until it was applied. A queued plan whose profile no longer reaches
   * the account has outcomes `deferred` with the reason `account_changed`.
   *
   * @throws `PLH_NOT_FOUND` (`plan_not_found`)
   */
  outcomes(planId: string): Promise<readonly ChangeOutcome[] | null>
  /**
   * Undoes an applied plan as a run of its own: reads the account again and skips rows that changed since.
   *
   * @throws `PLH_CONFLICT`: `already_running` during a run, `nothing_to_undo`; `PLH_NOT_FOUND` (`run_not_found`)
   */
  undo(planId: string): Promise<RunStart>
  /**
   * Lists work of the caller among the runs, with the writes of its plans. The same id replaces the earlier record. It
   * is not "the last run": `sync.reports` and `GET /api/run/summary` still report syncs only.
   *
   * @throws `PLH_INVALID` (`invalid_run_id`)
   */
  recordRun(run: RecordedRun): Promise<void>
  /**
   * Records plays that were recorded outside a run, so that no run adds them again or takes their other times for other
   * plays. Only for plays that the account confirmed: they are not added to that account again. Resolves when
   * stored. The same play may be recorded again. Kept for 400 days after the end of the play.
   *
   * @throws `PLH_NOT_FOUND` for an unknown account, `PLH_INVALID` for times that are not whole milliseconds
   */
  recordPlays(plays: readonly RecordedPlay[]): Promise<void>
  /**
   * Records plays that accounts will record. Until then a media server may already report the play, for example at
   * 90 %: no run adds it to the account, or takes it for another play. `recordPlays` confirms it; after `untilMs`, or
   * with a past `untilMs`, it counts as never played. Recorded plays are unaffected.
   *
   * @throws as `recordPlays`
   */
  expectPlays(plays: readonly ExpectedPlay[]): Promise<void>
}
