// Shows that a person dropped at a service, if the pair ignores dropped shows: their history is out of scope on both sides.
// Shows match by ids, never by title.
import { isRecord, type Item, kindOf, tokensOf } from '@playhead/sdk/items'
import type { Pair } from '../pairs/pair.ts'
import type { SideRead } from '../library/read-side.ts'
import { type DroppedShows, type FeatureRun, type SideContext, SIDES } from '../feature-run.ts'

export const DROPPED_SHOWS_OPTION = 'history_ignore_dropped_shows'

const NONE: DroppedShows = { tokens: [], has: () => false }
// The lists come from services whose ids are valid in all accounts.
const WITHIN = { within: 'provider' } as const

/** Rethrows errors of the providers: without the list the allowed writes are unknown. */
export async function fetchDroppedShows(run: FeatureRun): Promise<DroppedShows> {
  if (run.feature !== 'history') return NONE
  const tokens = new Set<string>()
  for (const side of SIDES) {
    const { provider, instance, api } = run.sides[side]
    if (!ignoresDropped(run.pair, provider)) continue
    // The handle has every function and rejects for a provider that lacks this one.
    for (const show of await api.droppedShows!(instance, run.signal))
      for (const token of showTokens(show)) tokens.add(token)
  }
  return tokens.size === 0
    ? NONE
    : { tokens: [...tokens].sort(), has: (item) => showTokens(item).some((token) => tokens.has(token)) }
}

/** Rows out of scope count as present, but cause no operation. */
export async function skipDropped(
  run: FeatureRun,
  { rows }: SideRead,
  { provider, instance }: SideContext,
): Promise<void> {
  const { dropped, listener, feature } = run
  if (dropped === undefined || dropped.tokens.length === 0) return
  let count = 0
  for (let index = 0; index < rows.total; index += 1) {
    if (rows.skip(index) === undefined && dropped.has(rows.item(index))) {
      rows.markSkipped(index, 'dropped_show')
      count += 1
    }
  }
  if (count > 0) listener.event({ type: 'debug', msg: 'provider.dropped.filtered', provider, instance, feature, count })
}

function ignoresDropped({ providers }: Pair, provider: string): boolean {
  const options = providers?.[provider.toLowerCase()]
  return isRecord(options) && options[DROPPED_SHOWS_OPTION] === true
}

/** The pair's other overrides of its providers. */
export function otherOverrides({ providers = {} }: Pair): Readonly<Record<string, unknown>> | null {
  const others = Object.entries(providers).flatMap(([name, own]) => {
    if (!isRecord(own)) return [[name, own] as const]
    const { [DROPPED_SHOWS_OPTION]: _ignores, ...rest } = own
    return Object.keys(rest).length === 0 ? [] : [[name, rest] as const]
  })
  return others.length === 0 ? null : Object.fromEntries(others)
}

function showTokens(item: Item): readonly string[] {
  const kind = kindOf(item)
  if (kind === 'movie') return []
  return tokensOf(kind === 'show' ? item : { type: 'show', ids: item.show_ids ?? {} }, WITHIN)
}
