// Titles that a person stopped: which stop is of a title, and where it applies.
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { titlePage } from '../../texts/en/title.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import { featureName, type Names } from '../values/names.ts'

const texts = titlePage.stop

export type Stop = Answer<'GET /api/stopped-titles'>['items'][number]

/** A title to stop: its `names` as in the library, or a single key. */
export interface StopTarget {
  readonly names: readonly string[]
  readonly title: string
  readonly year: number | null
}

export const STOPPED = ['stopped']
const LIST = new Intl.ListFormat(locale)
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'long' })
/** A title or a slug alone may be of another work. */
const BY_ID = /^(?:\S+ )?((?:movie|show):(?!title:|slug:)[^#@]+)$/

/** The names by which a stop recognizes a title; none if it has no id. */
export function idsIn(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => BY_ID.exec(name)?.[1] ?? [])
}

/** Undefined while it is read. */
export function useStop(names: readonly string[]): Stop | null | undefined {
  const { data } = useRead(STOPPED, 'GET /api/stopped-titles')
  const own = new Set(idsIn(names))
  return data === undefined ? undefined : (data.items.find((stop) => stop.names.some((name) => own.has(name))) ?? null)
}

export function isEverywhere({ features, accounts, pairs }: Stop): boolean {
  return features === null && accounts === null && pairs === null
}

export function stopText({ features, accounts, pairs, stopped_at: at }: Stop, account: Names['account']): string {
  const places = [
    ...(accounts ?? []).map(({ provider, instance }) => account(provider, instance)),
    ...(pairs === null ? [] : [say(texts.pairs, { n: pairs.length })]),
  ]
  const date = DAY.format(Date.parse(at))
  const where =
    places.length === 0 ? say(texts.stopped, { date }) : say(texts.stoppedAt, { date, where: LIST.format(places) })
  return features === null ? where : `${where} ${say(texts.only, { features: LIST.format(features.map(featureName)) })}`
}
