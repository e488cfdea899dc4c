// Texts of capture rows: title, kind, value and time.
import { Group, Text } from '@mantine/core'
import { Thumb } from '../../parts/titles/thumb.tsx'
import { episodeCode } from '../../parts/values/episode.ts'
import { captures as texts } from '../../texts/en/captures.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'

export interface Row {
  readonly type?: string
  readonly title?: string | null
  readonly year?: number | null
  readonly season?: number
  readonly episode?: number
  readonly series_title?: string | null
  readonly show_title?: string | null
  readonly ids?: Readonly<Record<string, string>>
  readonly show_ids?: Readonly<Record<string, string>>
  readonly rating?: number
  readonly progress_percent?: number
  readonly progress_ms?: number
  readonly duration_ms?: number
  readonly watched_at?: string
  readonly rated_at?: string
  readonly progress_at?: string
  readonly added_at?: string
}

const PERCENT = 100
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const EXACT = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'medium' })
const DATE_LENGTH = 10

/** Title, with the show and number of an episode. */
function titleOf(row: Row): { readonly title: string; readonly more: string } {
  const show = row.series_title ?? row.show_title
  const code = episodeCode(row.season, row.episode)
  const ids = Object.entries({ ...row.show_ids, ...row.ids })[0]
  const own = row.title ?? ''
  if (row.type === 'episode' || row.type === 'season') {
    const title =
      show != null && show !== '' ? show : own !== '' ? own : ids === undefined ? texts.untitled : ids.join(' ')
    return { title, more: [code, show != null && show !== '' && own !== show ? own : ''].filter(Boolean).join(' · ') }
  }
  return {
    title: own !== '' ? own : ids === undefined ? texts.untitled : ids.join(' '),
    more: row.year == null ? '' : String(row.year),
  }
}

export function TitleCell({ row }: { readonly row: Row }) {
  const { title, more } = titleOf(row)
  const { type: kind = '' } = row
  const isPart = kind === 'episode' || kind === 'season'
  return (
    <Group gap="xs" wrap="nowrap">
      <Thumb itemKey={{ kind, ids: (isPart ? row.show_ids : row.ids) ?? {} }} title={title} />
      <Text size="sm" truncate title={more === '' ? title : `${title} · ${more}`} dir="auto">
        <Text span fw={600} inherit>
          {title}
        </Text>
        {more === '' ? null : (
          <Text span c="dimmed" inherit>
            {' '}
            {more}
          </Text>
        )}
      </Text>
    </Group>
  )
}

export function kindOf({ type = '' }: Row): string {
  return (texts.kindsOne as Readonly<Record<string, string>>)[type] ?? type
}

export function measureOf(row: Row): string {
  if (row.rating !== undefined) return say(texts.view.rated, { n: row.rating })
  const percent =
    row.progress_percent ??
    (row.progress_ms !== undefined && row.duration_ms !== undefined
      ? (row.progress_ms / row.duration_ms) * PERCENT
      : undefined)
  return percent === undefined ? '' : say(texts.view.at, { percent: Math.round(percent) })
}

export function Day({ at }: { readonly at: string | undefined }) {
  const ms = at === undefined ? Number.NaN : Date.parse(at)
  if (at === undefined || !Number.isFinite(ms)) return null
  // A date without a time is the same day in every time zone.
  const local = at.length === DATE_LENGTH ? new Date(`${at}T00:00:00`) : new Date(ms)
  return (
    <time dateTime={at} title={at.length === DATE_LENGTH ? DAY.format(local) : EXACT.format(local)}>
      {DAY.format(local)}
    </time>
  )
}

export function timeOf({
  watched_at: watched,
  rated_at: rated,
  progress_at: paused,
  added_at: added,
}: Row): string | undefined {
  return watched ?? rated ?? paused ?? added
}
