// The episodes of a show with their air dates.
import type { WorkEpisode } from '@playhead/sdk'
import type { Api } from './api.ts'
import { Season, seasonsOf } from './wire.ts'

/** Largest number of parts of one response. */
const MAX_PARTS = 20

export async function readEpisodes(
  api: Pick<Api, 'get'>,
  show: string,
  season: number | undefined,
  locale: string,
): Promise<readonly WorkEpisode[] | undefined> {
  if (season !== undefined) {
    const one = await api.get(`/tv/${show}/season/${season}`, { language: locale }, Season)
    return one === undefined ? undefined : inOrder([one])
  }
  const load = (numbers: readonly number[]) =>
    api.get(
      `/tv/${show}`,
      { language: locale, append_to_response: numbers.map((number) => `season/${number}`).join(',') },
      seasonsOf(numbers),
    )
  const first = Array.from({ length: MAX_PARTS }, (_, number) => number)
  const answer = await load(first)
  if (answer === undefined) return undefined
  const seasons = named(answer, first)
  const others = (answer.seasons ?? [])
    .flatMap(({ season_number: number }) => number ?? [])
    .filter((number) => Number.isInteger(number) && !first.includes(number))
  for (let start = 0; start < others.length; start += MAX_PARTS) {
    const numbers = others.slice(start, start + MAX_PARTS)
    seasons.push(...named((await load(numbers)) ?? {}, numbers))
  }
  return inOrder(seasons)
}

function named(answer: Readonly<Record<string, unknown>>, numbers: readonly number[]): Season[] {
  return numbers.flatMap((number) => (answer[`season/${number}`] as Season | null | undefined) ?? [])
}

function inOrder(seasons: readonly Season[]): readonly WorkEpisode[] {
  return seasons
    .flatMap(({ episodes }) => episodes ?? [])
    .flatMap(({ season_number: season, episode_number: episode, name, air_date: date }): WorkEpisode[] =>
      season == null || episode == null || !Number.isInteger(season) || !(episode >= 1)
        ? []
        : [{ season, episode, title: name ?? '', aired: dateOf(date) }],
    )
    .sort((a, b) => a.season - b.season || a.episode - b.episode)
}

/** A date that exists; null otherwise. */
export function dateOf(text: unknown): string | null {
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const atMs = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(atMs) || new Date(atMs).toISOString().slice(0, 10) !== text ? null : text
}
