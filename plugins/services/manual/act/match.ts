// Moves the rows of a title to another title, for a title that was matched to the wrong ids. The correct rows are added first, and
// only rows whose add succeeded are removed under their old ids, so nothing is lost if the account lacks the title.
import {
  type AccountChange,
  type Actions,
  createTurns,
  defined,
  type Feature,
  type FeatureSupport,
  isPlayheadError,
  type LibraryRow,
  type LibraryService,
  type Logger,
  type ManualPolicyService,
  PlayheadError,
  type Remote,
} from '@playhead/sdk'
import { type Item, kindOf, rowKey, tokensOf, workOf } from '@playhead/sdk/items'
import { ITEM_VALUES, itemToWrite } from '@playhead/sdk/sync'
import { isAt, type MatchAnswer, type MatchFeature, type MatchOrder } from '../request/match.ts'
import { isCorrection, rememberIds } from './remember.ts'
import { findTarget, type Target } from '../targets.ts'

const MATCH_FEATURES = ['history', 'ratings', 'watchlist', 'progress'] as const satisfies readonly Feature[]
const CAUSE = 'manual'
const MAX_ROWS = 5_000
const MAX_LEFT = 50

interface Move {
  readonly row: LibraryRow
  readonly item: Item
  readonly key: string
}

/** Rows of the title, and existing rows of the correct title. */
interface Found {
  readonly rows: readonly LibraryRow[]
  readonly there: ReadonlySet<string>
  /** Why the current rows are unknown. */
  readonly doubt?: string
}

interface MatcherOptions {
  readonly actions: Pick<Remote<Actions>, 'act'>
  readonly library: () => Pick<Remote<LibraryService>, 'rowsOfWorks' | 'refresh'>
  readonly policy: () => Remote<ManualPolicyService> | undefined
  readonly targets: () => Promise<readonly Target[]>
  readonly log: Logger
}

export function createMatch({ actions, library, policy, targets, log }: MatcherOptions) {
  const inTurn = createTurns()

  /** @throws `PLH_NOT_FOUND` (`title_not_held`), `PLH_INVALID` (`match_at_server`, `not_signed_in`, `unknown_account`) */
  async function match(order: MatchOrder): Promise<MatchAnswer> {
    const target = targetOf(await targets(), order)
    const remembers = target.canMatch ? undefined : policy()
    if (!target.canMatch && (remembers === undefined || isCorrection(order)))
      throw new PlayheadError(
        'PLH_INVALID',
        'Media servers match their files themselves. Correct the match there. The next sync reads it.',
        { wire: 'match_at_server' },
      )
    let features = await matched(target, order, remembers)
    // No run reads an account without a pair.
    if (features.length === 0) {
      for (const feature of MATCH_FEATURES)
        if (target.features[feature]?.read === true) await readAgain(target, feature)
      features = await matched(target, order, remembers)
    }
    if (features.length === 0)
      throw new PlayheadError('PLH_NOT_FOUND', 'The account does not have this title.', { wire: 'title_not_held' })
    const { provider, instance } = target
    if (!order.dryRun)
      log.info(
        { provider, instance, moved: features.reduce((sum, { moved }) => sum + moved, 0) },
        'a title was matched to other ids',
      )
    return {
      ok: features.every(({ left }) => left === 0),
      dry_run: order.dryRun,
      remembered: remembers !== undefined,
      provider,
      instance,
      features,
    }
  }

  async function matched(
    target: Target,
    order: MatchOrder,
    remembers: Remote<ManualPolicyService> | undefined,
  ): Promise<MatchFeature[]> {
    const features: MatchFeature[] = []
    for (const feature of MATCH_FEATURES) {
      let found = await rowsOf(target, feature, order)
      if (remembers !== undefined) {
        if (found.rows.length > 0) features.push(await rememberIds(remembers, target, feature, found.rows, order))
        continue
      }
      // Existing rows are not added. They must exist now, not only in the last read.
      if (!order.dryRun && found.rows.length > 0 && found.there.size > 0) {
        const doubt = await readAgain(target, feature)
        found = { ...(await rowsOf(target, feature, order)), ...defined({ doubt }) }
      }
      if (found.rows.length > 0) features.push(await moveIn(target, feature, found, order))
    }
    return features
  }

  /** Why the account could not be read; undefined after a successful read. */
  async function readAgain({ provider, instance }: Target, feature: Feature): Promise<string | undefined> {
    try {
      await library().refresh({ provider, instance }, feature)
      return undefined
    } catch (error) {
      if (!isPlayheadError(error)) throw error
      log.warn({ err: error, provider, instance }, 'an account could not be read again')
      return error.wire
    }
  }

  async function rowsOf(target: Target, feature: Feature, { from, to, part }: MatchOrder): Promise<Found> {
    const [wrong, right] = [new Set(tokensOf(from, { within: 'account' })), new Set(tokensOf(to))]
    const found: LibraryRow[] = []
    const there = new Set<string>()
    for await (const page of library().rowsOfWorks(target.provider, target.instance, feature, [from, to]))
      for (const row of page) {
        const tokens = tokensOf(workOf(row.item), { within: 'account' })
        const isWrong = tokens.some((token) => wrong.has(token)) && (part === undefined || isAt(row.item, part.from))
        // An episode may get other numbers of its own show.
        if (part !== undefined && isWrong) found.push(row)
        else if (tokens.some((token) => right.has(token))) there.add(rowKey(row.item, isByPlay(target, feature)))
        else if (isWrong) found.push(row)
        if (found.length > MAX_ROWS)
          throw new PlayheadError('PLH_INVALID', 'These are too many items to move at once.', { wire: 'too_many_rows' })
      }
    return { rows: found, there }
  }

  async function moveIn(
    target: Target,
    feature: MatchFeature['feature'],
    { rows, there, doubt }: Found,
    { to, part, dryRun }: MatchOrder,
  ): Promise<MatchFeature> {
    const support = target.features[feature]
    const plays = isByPlay(target, feature)
    const left: { row: LibraryRow; reason: string }[] = []
    const moves = new Map<string, Move>()
    const twins: LibraryRow[] = []
    for (const row of rows) {
      const item = movedItem(row.item, to, part?.to)
      const key = rowKey(item, plays)
      const reason = obstacle(support, plays, row.item, item)
      if (reason !== undefined) left.push({ row, reason })
      else if (moves.has(key)) twins.push(row)
      else moves.set(key, { row, item, key })
    }
    const planIds: string[] = []
    let moved = 0
    if (!dryRun && moves.size > 0) {
      const arrived: LibraryRow[] = []
      const added = await applied(
        target,
        feature,
        plays,
        [...moves.values()].filter(({ key }) => !there.has(key)).map(({ item, key }) => ({ op: 'add', key, item })),
        planIds,
      )
      for (const { row, key } of moves.values()) {
        const reason = there.has(key) ? (doubt ?? null) : added(key)
        if (reason === null) arrived.push(row)
        else left.push({ row, reason })
      }
      // Duplicate rows of the account are the same viewing.
      if (arrived.length === moves.size) arrived.push(...twins)
      else left.push(...twins.map((row) => ({ row, reason: 'not_moved' })))
      const removals = new Map(arrived.map((row) => [row.key, row]))
      const removed = await applied(
        target,
        feature,
        plays,
        [...removals.values()].map(({ key, item }) => ({ op: 'remove', key, item, current: item })),
        planIds,
      )
      for (const row of arrived) {
        const reason = removed(row.key)
        if (reason === null) moved += 1
        else left.push({ row, reason })
      }
    }
    return {
      feature,
      rows: rows.length,
      moved,
      left: left.length,
      problems: left
        .slice(0, MAX_LEFT)
        .map(({ row: { item }, reason }) => ({ season: item.season ?? null, episode: item.episode ?? null, reason })),
      plan_ids: planIds,
    }
  }

  /** Why the change of this key failed; null if it succeeded. */
  async function applied(
    target: Target,
    feature: Feature,
    plays: boolean,
    changes: readonly AccountChange[],
    planIds: string[],
  ): Promise<(key: string) => string | null> {
    if (changes.length === 0) return () => 'not_moved'
    const { provider, instance } = target
    const about = { provider, instance, feature, ...(plays ? { plays } : {}), cause: CAUSE }
    // The person requested this number; other rows that a removal would delete stay.
    const [report] = await actions.act([{ ...about, changes, approved: 'mass_delete' }])
    const { planId, outcomes } = report!
    if (planId !== null && outcomes.some(({ status }) => status === 'done')) planIds.push(planId)
    // A second request must not add rows whose add is uncertain.
    if (outcomes.some(({ outcome }) => outcome === 'unknown')) await readAgain(target, feature)
    const known = new Map(outcomes.map((one) => [one.key, one]))
    return (key) => (known.get(key)?.ok === true ? null : (known.get(key)?.reason ?? 'not_moved'))
  }

  return (order: MatchOrder): Promise<MatchAnswer> => inTurn(() => match(order))
}

function targetOf(known: readonly Target[], { provider, instance }: MatchOrder): Target {
  const found = findTarget(known, { provider, instance })
  if (found === 'provider_unavailable')
    throw new PlayheadError('PLH_INVALID', 'The account is not signed in.', { wire: 'not_signed_in' })
  if (typeof found === 'string')
    throw new PlayheadError('PLH_NOT_FOUND', 'This account does not exist.', { wire: 'unknown_account' })
  return found
}

function isByPlay({ features }: Target, feature: Feature): boolean {
  return feature === 'history' && features.history?.plays?.write === true
}

function movedItem(item: Item, to: MatchOrder['to'], place: object = {}): Item {
  const kind = kindOf(item)
  const { title, year, ids, type } = to
  // The episode's own ids and name belong to the wrong show.
  if (kind === 'season' || kind === 'episode') {
    const { title: _title, year: _year, ...rest } = item
    return itemToWrite(
      { ...rest, ...place, ids: {}, show_ids: ids, series_title: title, series_year: year },
      ITEM_VALUES,
    )
  }
  return itemToWrite({ ...item, type, ids, title, year }, ITEM_VALUES)
}

function obstacle(support: FeatureSupport | undefined, plays: boolean, row: Item, item: Item): string | undefined {
  if (support?.add !== true || support.remove !== true) return 'read_only'
  if (!support.kinds.includes(kindOf(item))) return 'unsupported_type'
  // Without the service's id of the play, a removal could delete other plays.
  if (plays && !(support.plays?.removeOne === true && row.native?.event_id !== undefined)) return 'exact_play_unknown'
  return undefined
}
