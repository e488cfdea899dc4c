// Shared by the adapters of our stand-ins.
import {
  DEFAULT_PROFILE,
  type Feature,
  type Item,
  type ItemKind,
  type Provider,
  providerCapability,
} from '@playhead/sdk'
import type { CatalogueShow } from '../../upstreams/base/index.ts'
import type { TestHost } from '@playhead/sdk/testing'
import type { FlowScript } from '@playhead/sdk/testing/conformance'

/** Hands out things one after the other, each once. */
export function stockOf<T>(things: readonly T[]): { take(count: number): readonly T[] } {
  let next = 0
  return {
    take(count) {
      if (next + count > things.length) throw new RangeError(`the stand-in has only ${things.length} items`)
      next += count
      return things.slice(next - count, next)
    },
  }
}

/** The item with values that another provider would add. */
export function valued(
  feature: Feature,
  item: Item,
  { durationMs = 6_000_000, atMs = Date.now() - 5 * 86_400_000 } = {},
): Item {
  const at = new Date(Math.floor(atMs / 60_000) * 60_000).toISOString()
  switch (feature) {
    case 'history':
      return { ...item, watched: true, watched_at: at }
    case 'ratings':
      return { ...item, rating: 7, rated_at: at }
    case 'progress':
      return { ...item, progress_ms: Math.floor(durationMs / 4), duration_ms: durationMs, progress_at: at }
    default:
      return { ...item, added_at: at }
  }
}

/** A film that the service does not have. */
export function unknownFilm(feature: Feature): Item {
  return valued(feature, {
    type: 'movie',
    title: 'Never made',
    year: 1999,
    ids: { imdb: 'tt9990001', tmdb: '999000001' },
  })
}

export function providerOf(host: TestHost, id: string): Provider {
  return host.capability<Provider>(providerCapability(id)) as unknown as Provider
}

/** Sets the settings of a profile, including credentials. */
export async function connect(
  host: TestHost,
  id: string,
  instance: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (instance === DEFAULT_PROFILE) await host.changeConfig(settings)
  else await providerOf(host, id).saveProfile(instance, settings)
}

/** Ids in our format, from an object with numbers and gaps. */
export function idsOf(given: object): Item['ids'] {
  const ids = given as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    (['imdb', 'tmdb', 'tvdb'] as const).flatMap((name) =>
      ids[name] == null || ids[name] === '' ? [] : [[name, String(ids[name])]],
    ),
  )
}

/** Increasing times for consecutive items: minutes in the past. */
export function pastTimes(): () => number {
  let turn = 0
  return () => Math.floor(Date.now() / 60_000) * 60_000 - 30 * 86_400_000 + 60_000 * turn++
}

/** Cancels a pending sign-in where there is no separate route for it. */
export function cancelByDisconnecting(id: string): NonNullable<FlowScript['cancel']> {
  return async (host, instance) => providerOf(host, id).disconnect(instance)
}

export async function postOk(
  host: TestHost,
  url: string,
  payload: object = {},
  secure = false,
): Promise<Record<string, unknown>> {
  const answer = await host.inject({ method: 'POST', url, payload }, { secure })
  if (answer.statusCode !== 200) throw new Error(`${url} was answered with ${answer.statusCode}: ${answer.body}`)
  return answer.json() as Record<string, unknown>
}

/** A show with two specials and a season of twelve episodes, whose ids are unique. */
export function showWithSpecials(): CatalogueShow {
  const premieredAtMs = Date.UTC(2001, 0, 1)
  const episodes = [
    { season: 0, count: 2 },
    { season: 1, count: 12 },
  ].flatMap(({ season, count }) => Array.from({ length: count }, (_, index) => ({ season, number: index + 1 })))
  return {
    type: 'show',
    title: 'The Long Watch',
    year: 2001,
    premieredAtMs,
    ids: { tmdb: 990_001, imdb: 'tt8990001', tvdb: 8_390_001 },
    episodes: episodes.map(({ season, number }, index) => ({
      season,
      number,
      title: `${season === 0 ? 'Extra' : 'Watch'} ${number}`,
      airedAtMs: premieredAtMs + index * 7 * 86_400_000,
      runtimeMs: 2_700_000,
      ids: { tmdb: 3_990_000 + index, imdb: `tt${7_990_000 + index}`, tvdb: 5_990_000 + index },
    })),
  }
}

/** Works of a stand-in by kind. */
export type Stocks<Thing> = { readonly [kind in ItemKind]?: readonly Thing[] }

/** More of a kind than any check of a few rows needs; large accounts contain only films beyond that. */
const TURNS = 60

/** Hands out things, alternating between the kinds, each once. After a full turn the next one is of the first kind again. */
export function mixedStock<Thing>(stocks: Stocks<Thing>) {
  const next: Record<ItemKind, number> = { movie: 0, show: 0, season: 0, episode: 0 }
  let turn = 0
  const takeOne = (kinds: readonly ItemKind[]): Thing => {
    const wanted = turn < TURNS ? kinds[turn % kinds.length]! : kinds[0]!
    turn += 1
    for (const kind of [wanted, ...kinds]) {
      const thing = stocks[kind]?.[next[kind]]
      if (thing === undefined) continue
      next[kind] += 1
      return thing
    }
    throw new RangeError('the stand-in has no more items')
  }
  return {
    take: (kinds: readonly ItemKind[], count: number): readonly Thing[] =>
      Array.from({ length: count }, () => takeOne(kinds)),
  }
}
