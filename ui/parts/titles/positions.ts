// Positions where playback was stopped, and their labels.
import type { Answer } from '../../api/client.ts'
import { continueWatching as texts } from '../../texts/en/continue.ts'
import type { Pictured } from './pictures.ts'
import { say } from '../../texts/say.ts'
import { locale } from '../../texts/language.ts'
import { episodeCode } from '../values/episode.ts'

export type List = Answer<'GET /api/playback_progress/items'>
export type Item = List['items'][number]
export type Position = NonNullable<Item['records']>[number]
export type Operation = 'remove_progress' | 'mark_watched' | 'update_progress'

export const ABILITIES = {
  remove_progress: 'can_remove_progress',
  mark_watched: 'can_mark_watched',
  update_progress: 'can_update_progress',
} as const satisfies Readonly<Record<Operation, keyof Position>>

export function keyOf({
  provider,
  instance_id: instance,
  remote_id: id,
}: Pick<Item, 'provider' | 'instance_id' | 'remote_id'>): string {
  return `${provider}:${instance}:${id}`
}

/** The positions of the accounts. An item of a single service has no list. */
export function positionsOf(item: Item): readonly Position[] {
  return item.records ?? [item]
}

export function titleOf({ title }: Pick<Item, 'title'>): string {
  return title ?? texts.untitled
}

/** `S01E03 · Static`, the year of a film, or the known part of that. */
export function subtitleOf({ season, episode, episode_title: name, media_type: type, year }: Item): string {
  if (type === 'movie') return year === null ? '' : String(year)
  return [episodeCode(season, episode), name ?? ''].filter((part) => part !== '').join(' · ')
}

/** The title and its episode, for lists. */
export function nameOf(item: Item): string {
  return [titleOf(item), subtitleOf(item)].filter((part) => part !== '').join(', ')
}

export function remainingText(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60))
  return minutes < 60
    ? say(texts.card.minutes, { minutes })
    : say(texts.card.hours, { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
}

/** `1:02:09`, `4:07` */
export function clock(seconds: number): string {
  const whole = Math.round(seconds)
  const two = (number: number) => String(number).padStart(2, '0')
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60]
  return hours === 0 ? `${minutes}:${two(rest)}` : `${hours}:${two(minutes)}:${two(rest)}`
}

const list = new Intl.ListFormat(locale)

/** Names of the accounts; includes the profile if a service has several. */
export function accountNames(positions: readonly Position[]): string {
  const profiles = new Map<string, Set<string>>()
  for (const { provider_label: label, instance_label: profile } of positions) {
    const known = profiles.get(label) ?? new Set()
    profiles.set(label, known.add(profile))
  }
  return list.format(
    [...profiles].flatMap(([label, names]) =>
      names.size === 1 ? [label] : [...names].map((name) => `${label} (${name})`),
    ),
  )
}

/** The film or the show for the picture. */
export function picturedOf(item: Item): Pictured {
  if (item.media_type === 'movie') return { kind: 'movie', ids: item.ids }
  return { kind: 'show', ids: (item.provider_metadata?.['show_ids'] ?? {}) as Pictured['ids'] }
}
