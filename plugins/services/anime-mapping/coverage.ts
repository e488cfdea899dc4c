// Mapped and unmapped anime of each account, with reasons, from the stored rows.
import {
  type AnimeMapping,
  defined,
  type Feature,
  LIBRARY,
  type MappingReason,
  oneOf,
  type PluginContext,
  type Static,
  Type,
} from '@playhead/sdk'
import { type Ids, type Item, kindOf } from '@playhead/sdk/items'

const FEATURES = ['watchlist', 'history', 'ratings', 'progress'] as const satisfies readonly Feature[]
/** Schemes of entries of anime services, and of shows and films. */
const ENTRIES = ['anidb', 'mal', 'anilist', 'kitsu'] as const
const AIRED = ['tvdb', 'tmdb', 'imdb'] as const
const PAGE = 500
const FRESH_MS = 20_000
const MAX_SHOWN = 200

const Count = Type.Integer({ minimum: 0 })
const Account = Type.Object({
  provider: Type.String(),
  instance: Type.String(),
  feature: oneOf(FEATURES),
  anime: Type.Integer({ minimum: 0, description: 'Titles with an id of an anime service, given or found.' }),
  mapped: Type.Integer({ minimum: 0, description: 'Those that are known by ids of both kinds of services.' }),
})
const Unmapped = Type.Object({
  provider: Type.String(),
  instance: Type.String(),
  feature: oneOf(FEATURES),
  key: Type.String(),
  title: Type.String(),
  year: Type.Union([Type.Integer(), Type.Null()]),
  type: oneOf(['movie', 'show']),
  ids: Type.Record(Type.String(), Type.String()),
  reason: Type.String({ description: 'Why it is not mapped; see docs/reference/anime-mapping.md.' }),
})
export const CoverageQuery = Type.Object({
  provider: Type.Optional(Type.String({ maxLength: 64 })),
  instance: Type.Optional(Type.String({ maxLength: 64 })),
  offset: Type.Integer({ default: 0, minimum: 0, maximum: 1_000_000 }),
  limit: Type.Integer({ default: 50, minimum: 1, maximum: MAX_SHOWN }),
})
export const CoverageAnswer = Type.Object({
  ok: Type.Literal(true),
  ready: Type.Boolean({ description: 'False: nothing is mapped, as the mapping is off or has no data.' }),
  accounts: Type.Array(Account),
  total: Type.Integer({ minimum: 0, description: 'Titles that are not mapped.' }),
  offset: Count,
  limit: Count,
  unmapped: Type.Array(Unmapped),
})
type Account = Static<typeof Account>
type Unmapped = Static<typeof Unmapped>

interface Found {
  readonly ready: boolean
  readonly accounts: readonly Account[]
  readonly unmapped: readonly Unmapped[]
}

export interface Coverage {
  read(): Promise<Found>
}

export function createCoverage(
  ctx: Pick<PluginContext, 'tryUse' | 'signal'>,
  mapping: Pick<AnimeMapping, 'enrich' | 'revision'>,
  now: () => number = Date.now,
): Coverage {
  let cached: { readonly revision: string | null; readonly atMs: number; readonly found: Promise<Found> } | null = null

  async function count(revision: string | null): Promise<Found> {
    const library = ctx.tryUse(LIBRARY)
    const accounts: Account[] = []
    const unmapped: Unmapped[] = []
    if (library !== undefined)
      for (const feature of FEATURES)
        for (const { provider, instance, readAtMs } of await library.holdings(feature)) {
          if (readAtMs === null) continue
          const of = { provider, instance, feature }
          const titles = new Map<string, Title>()
          for await (const page of library.rows(provider, instance, feature)) {
            ctx.signal.throwIfAborted()
            for (const { key, item } of page) {
              const title = titleOf(key, item)
              if (title !== undefined && !titles.has(title.id)) titles.set(title.id, title)
            }
          }
          const sum = { ...of, anime: 0, mapped: 0 }
          const all = [...titles.values()]
          for (let start = 0; start < all.length; start += PAGE) {
            const part = all.slice(start, start + PAGE)
            const answers = await mapping.enrich(part.map(({ item }) => item))
            for (const [index, { key, item }] of part.entries()) {
              const { ids = {}, reason } = answers[index] ?? {}
              if (!hasAny(ids, ENTRIES)) continue
              sum.anime += 1
              if (hasAny(ids, AIRED)) sum.mapped += 1
              else unmapped.push({ ...of, key, ...shown(item), ids: { ...item.ids }, reason: reasonOf(reason) })
            }
          }
          if (sum.anime > 0) accounts.push(sum)
        }
    return { ready: revision !== null, accounts, unmapped }
  }

  return {
    async read() {
      const revision = await mapping.revision()
      if (cached === null || cached.revision !== revision || now() - cached.atMs > FRESH_MS) {
        const found = count(revision)
        cached = { revision, atMs: now(), found }
        // A failure is not cached.
        found.catch(() => {
          cached = null
        })
      }
      return cached.found
    },
  }
}

interface Title {
  readonly id: string
  readonly key: string
  readonly item: Item
}

/** The film or show of a row; an episode stands for its show. */
function titleOf(key: string, item: Item): Title | undefined {
  const isPart = item.type === 'season' || item.type === 'episode'
  const ids: Ids = (isPart ? item.show_ids : item.ids) ?? {}
  if (!hasAny(ids, ENTRIES) && !hasAny(ids, AIRED)) return undefined
  const title = isPart ? item.series_title : item.title
  const year = isPart ? item.series_year : item.year
  return {
    id: `${isPart ? 'show' : item.type} ${JSON.stringify(Object.entries(ids).sort())}`,
    key,
    item: { type: isPart ? 'show' : item.type, ids, ...defined({ title, year }) },
  }
}

function shown(item: Item): Pick<Unmapped, 'title' | 'year' | 'type'> {
  return { title: item.title ?? '', year: item.year ?? null, type: kindOf(item) === 'movie' ? 'movie' : 'show' }
}

function hasAny(ids: Ids, schemes: readonly (keyof Ids)[]): boolean {
  return schemes.some((scheme) => ids[scheme] !== undefined && ids[scheme] !== '')
}

function reasonOf(reason: MappingReason | undefined): string {
  return reason ?? 'no_mapping'
}
