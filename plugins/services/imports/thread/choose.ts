// Applies the person's choices for titles without ids to their rows.
import { defined, insertRows, type Tables, type WorkEpisode } from '@playhead/sdk'
import { type Ids, type Item, slugOf } from '@playhead/sdk/items'
import { sql } from 'kysely'
import { stagedFields } from './stage.ts'

export interface Choice {
  readonly type: 'movie' | 'show'
  readonly ids: Ids
  readonly title?: string
  readonly year?: number
}

export interface Decision {
  readonly title: number
  /** Null restores the original; `skip` never imports these rows. */
  readonly choice: Choice | 'skip' | null
  /** Episodes of the chosen show, for rows that only have episode titles. */
  readonly episodes?: readonly WorkEpisode[]
}

interface TitleRow {
  readonly n: number
  readonly feature: 'watchlist' | 'history' | 'ratings' | 'progress'
  readonly item: string
}

const PAGE = 500

export async function decide(db: Tables, id: string, { title, choice, episodes }: Decision): Promise<void> {
  for (let after = -1; ; ) {
    const { rows } = await sql<TitleRow>`select n, feature, item from import_row
      where import_id = ${id} and title = ${title} and n > ${after} order by n limit ${PAGE}`.execute(db)
    if (rows.length === 0) break
    after = rows.at(-1)!.n
    const updates = rows.map(({ n, feature, item }) => {
      const own = JSON.parse(item) as Item
      const chosen = choice === null || choice === 'skip' ? null : withChoice(feature, own, choice, episodes)
      const problem = choice === 'skip' ? 'skipped' : choice === null ? 'title_only' : (chosen?.problem ?? undefined)
      const fields = stagedFields(feature, chosen?.item ?? own, problem)
      return {
        import_id: id,
        n,
        feature,
        file: '',
        ...fields,
        item,
        chosen: chosen?.item === undefined ? null : JSON.stringify(chosen.item),
      }
    })
    await insertRows(
      db,
      'import_row',
      updates,
      sql`on conflict (import_id, n) do update set key = excluded.key, words = excluded.words, chosen = excluded.chosen, state = excluded.state, reason = excluded.reason, plan = null, plan_reason = null`,
    )
  }
  const text = choice === null ? null : JSON.stringify(choice)
  await sql`update import_title set choice = ${text} where import_id = ${id} and title = ${title}`.execute(db)
}

/** `Episode 2`, as a slug. */
const NUMBERED =
  /^(?:episode|ep|folge|épisode|episodio|episódio|aflevering|afsnit|avsnitt|jakso|odcinek|epizoda|díl|rész|bölüm)-(\d+)$/u

/** Turns the row into the chosen work. An episode is found by its exact title, within its season if the file has one. */
function withChoice(
  feature: TitleRow['feature'],
  item: Item,
  { type, ids, title, year }: Choice,
  episodes: readonly WorkEpisode[] | undefined,
): { readonly item?: Item; readonly problem?: string } {
  const isPart = item.type === 'season' || item.type === 'episode'
  const named = { ...defined({ title, year }) }
  const show = { show_ids: ids, ...defined({ series_title: title }) }
  // The row is an episode of the show, but the file does not identify it.
  if (feature === 'history' && item.type === 'movie' && type === 'show') {
    const found = episodeOf(episodes ?? [], endingsOf(item.title ?? ''), undefined)
    if (typeof found === 'string') return { problem: found }
    const { year: _year, ...rest } = item
    const own = { type: 'episode' as const, ids: {}, title: found.title, season: found.season, episode: found.episode }
    return { item: { ...rest, ...own, ...show } }
  }
  if (!isPart) return { item: { ...item, type: item.type === 'anime' ? 'anime' : type, ids, ...named } }
  if (type === 'movie') return { problem: 'wrong_type' }
  if (item.type === 'season' || item.episode !== undefined) return { item: { ...item, ...show } }
  const found = episodeOf(episodes ?? [], [item.title ?? '', ...endingsOf(item.title ?? '')], item.season)
  if (typeof found === 'string') return { problem: found }
  return { item: { ...item, ...show, season: found.season, episode: found.episode } }
}

/** Candidate episode titles from a row's title: `Tiger King 2: Beg Your Pardon`, then `Beg Your Pardon`. */
function endingsOf(title: string): readonly string[] {
  const parts = title.split(/: |：/u)
  return parts.slice(1).map((_, index) => parts.slice(index + 1).join(': '))
}

/** The single episode with the first title that matches any episode, else with its number. */
function episodeOf(
  episodes: readonly WorkEpisode[],
  titles: readonly string[],
  season: number | undefined,
): WorkEpisode | 'episode_unknown' | 'episode_ambiguous' {
  const possible = episodes.filter((one) => season === undefined || one.season === season)
  for (const wanted of titles.map(slugOf).filter((slug) => slug !== '')) {
    const exact = possible.filter((one) => slugOf(one.title) === wanted)
    if (exact.length > 0) return only(exact)
    const number = NUMBERED.exec(wanted)?.[1]
    // Without a season the number must be unique across seasons, except specials.
    const numbered = possible.filter(
      (one) => one.episode === Number(number) && (season !== undefined || one.season > 0),
    )
    if (numbered.length > 0) return only(numbered)
  }
  return 'episode_unknown'
}

function only([first, ...others]: readonly WorkEpisode[]): WorkEpisode | 'episode_ambiguous' {
  return others.length > 0 ? 'episode_ambiguous' : first!
}
