// Adds ids that a media server lacks to the rows of a title. The server keeps its match, and no service is written: a manual add
// stores the ids, and the next run matches with them.
import type { LibraryRow, ManualPolicyService, Remote } from '@playhead/sdk'
import { itemKey, kindOf, mergeIds, type Item } from '@playhead/sdk/items'
import { isAt, type MatchFeature, type MatchOrder } from '../request/match.ts'
import type { Target } from '../targets.ts'

/** For ratings and positions a manual add would hide later values of the account. */
const REMEMBERED: readonly MatchFeature['feature'][] = ['history', 'watchlist']
const MAX_LEFT = 50

/** Whether both have different ids of any scheme, or different numbers. Then the account itself has to be corrected. */
export function isCorrection({ from, to, part }: Pick<MatchOrder, 'from' | 'to' | 'part'>): boolean {
  if (part !== undefined && !isAt(part.to, part.from)) return true
  return mergeIds(from.ids, to.ids, { sameAccount: true }).conflicts.length > 0
}

export async function rememberIds(
  policy: Remote<ManualPolicyService>,
  { provider, instance }: Target,
  feature: MatchFeature['feature'],
  rows: readonly LibraryRow[],
  { to, dryRun }: MatchOrder,
): Promise<MatchFeature> {
  const isKept = REMEMBERED.includes(feature)
  if (isKept && !dryRun) {
    const scope = { provider, instance, feature }
    const adds = new Map(rows.map(({ item }) => withIds(item, to)).map((item) => [itemKey(item), item]))
    await policy.change(scope, { setAdds: [...adds.values()], ifRevision: await policy.revision(scope) })
  }
  return {
    feature,
    rows: rows.length,
    moved: isKept && !dryRun ? rows.length : 0,
    left: isKept ? 0 : rows.length,
    problems: isKept
      ? []
      : rows
          .slice(0, MAX_LEFT)
          .map(({ item: { season = null, episode = null } }) => ({ season, episode, reason: 'match_at_server' })),
    plan_ids: [],
  }
}

/** Identity alone: the account's own values stay in effect. */
function withIds(row: Item, { ids, title, year }: MatchOrder['to']): Item {
  const item: Item = { type: row.type, ids: row.ids, title: row.title, year: row.year }
  const kind = kindOf(row)
  if (kind !== 'season' && kind !== 'episode')
    return { ...item, ids: { ...row.ids, ...ids }, title: title ?? row.title, year: year ?? row.year }
  const { season, episode, show_ids: showIds, series_title: series } = row
  return { ...item, season, episode, show_ids: { ...showIds, ...ids }, series_title: title ?? series }
}
