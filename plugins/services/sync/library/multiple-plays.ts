// Where a service stores history per item, a removal deletes all plays, so only items with a single play are removed.
import type { Side } from '@playhead/sdk'
import { type Item, tokensOf } from '@playhead/sdk/items'
import { readSide } from './read-side.ts'
import { type FeatureRun, reachOf } from '../feature-run.ts'

/** Positions of items with several plays on the side, or with an unknown number of plays. */
export async function findMultiplePlays(
  run: FeatureRun,
  side: Side,
  items: ReadonlyMap<number, Item>,
): Promise<ReadonlySet<number>> {
  const { support, health } = run.sides[side]
  // An account without single plays cannot lose any.
  if (
    run.feature !== 'history' ||
    run.plays ||
    items.size === 0 ||
    support.plays?.read !== true ||
    health.plays === false
  )
    return new Set()
  const read = await readSide({ ...run, plays: true }, run.sides[side], { fresh: true })
  if (!read.complete || (run.state !== null && run.state.account[side] !== read.account)) return new Set(items.keys())
  const options = { within: reachOf(run) }
  const wanted = new Map<string, number>()
  for (const [place, item] of items) for (const token of tokensOf(item, options)) wanted.set(token, place)
  const found = new Map<number, Set<string>>()
  for (let index = 0; index < read.rows.size; index += 1) {
    const item = read.rows.item(index)
    // Equal rows are one play.
    const play = item.native?.event_id ?? item.watched_at ?? `row ${index}`
    for (const token of tokensOf(item, options)) {
      const place = wanted.get(token)
      if (place !== undefined) found.getOrInsertComputed(place, () => new Set()).add(play)
    }
  }
  read.rows.release()
  return new Set([...items.keys()].filter((place) => (found.get(place)?.size ?? 0) > 1))
}
