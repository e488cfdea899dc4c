// Edits or removes one row, or adds a row for a title that the user searches.
import {
  Badge,
  Button,
  Group,
  Modal,
  NumberInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { titleAddress } from '../../parts/titles/pictures.ts'
import { ChosenTitle, TitleSearch, type Work } from '../../parts/titles/title-search.tsx'
import { editor } from '../../texts/en/editor.ts'
import { nameOf } from './row-table.tsx'
import { idsOf, type Item, type Kind, type Row, TIMES, timeOf } from './state.ts'
import type { ChangeSet } from './use-changes.ts'

const { row: texts } = editor
const NOON = '12:00:00Z'
const two = (n: number) => String(n).padStart(2, '0')

type Part = 'show' | 'season' | 'episode'

interface RowDialogProps {
  /** null: adds a row. */
  readonly row: Row | null
  readonly kind: Kind | 'playlist'
  readonly changes: ChangeSet
  readonly canRemove: 'remove' | 'block' | null
  readonly onClose: () => void
}

export function RowDialog({ row, kind, changes, canRemove, onClose }: RowDialogProps) {
  const known = row === null ? undefined : changes.all.get(row.key)
  const shown = known?.op === 'edit' ? { ...known.row, key: row?.key ?? '' } : row
  const item = shown?.item ?? {}
  const [work, setWork] = useState<Work | null>(null)
  const [part, setPart] = useState<Part>(kind === 'ratings' || kind === 'watchlist' ? 'show' : 'episode')
  const [season, setSeason] = useState<number | string>(1)
  const [episode, setEpisode] = useState<number | string>(1)
  const [rating, setRating] = useState<number | string>(numberOf(item['rating']) ?? '')
  const [progress, setProgress] = useState<number | string>(numberOf(item['progress_percent']) ?? '')
  const start = localOf(timeOf(item))
  const [date, setDate] = useState(start.date)
  const [time, setTime] = useState(start.time)
  const [isTried, setTried] = useState(false)

  const isShow = work?.type === 'show'
  const hasValue = kind === 'ratings' || kind === 'progress' || kind === 'history'
  const errors = {
    work: row === null && work === null ? texts.choose : null,
    rating:
      kind === 'ratings' && !(Number.isInteger(rating) && Number(rating) >= 1 && Number(rating) <= 10)
        ? texts.badRating
        : null,
    progress:
      kind === 'progress' && (progress === '' || Number(progress) < 0 || Number(progress) > 100)
        ? texts.badProgress
        : null,
    date: kind === 'history' && date === '' ? texts.badDate : null,
    season: isShow && part !== 'show' && season === '' ? texts.badSeason : null,
    episode: isShow && part === 'episode' && (episode === '' || Number(episode) < 1) ? texts.badEpisode : null,
  }
  const isValid = Object.values(errors).every((error) => error === null)
  const shownError = (error: string | null) => (isTried ? error : null)

  function keep() {
    setTried(true)
    if (!isValid) return
    const values = {
      ...(kind === 'ratings' ? { rating: Number(rating) } : {}),
      ...(kind === 'progress' ? { progress_percent: Number(progress) } : {}),
      ...(kind === 'history' ? { watched: true } : {}),
      ...(date === '' || kind === 'playlist' ? {} : { [TIMES[kind]]: instantOf(date, time) }),
    }
    if (row === null) {
      const made = { ...itemOf(work!, part, Number(season), Number(episode)), ...values }
      changes.add({ key: `new ${crypto.randomUUID()}`, item: made })
    } else if (JSON.stringify(values) !== JSON.stringify(valuesOf(item, values)))
      changes.edit(row, { ...row, item: { ...item, ...values } })
    onClose()
  }

  return (
    <Modal opened onClose={onClose} size="lg" title={row === null ? editor.add : nameOf(item)}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          keep()
        }}
      >
        <Stack>
          {row !== null ? (
            <Group gap="xs" aria-label={texts.ids} role="group">
              {idsOf(item).map(([scheme, id]) => (
                <Badge key={scheme} variant="light" color="gray" fw={500}>
                  {scheme} {id}
                </Badge>
              ))}
            </Group>
          ) : work === null ? (
            <>
              <TitleSearch label={texts.title} onChoose={setWork} />
              {isTried ? (
                <Text size="sm" c="red" role="alert">
                  {texts.choose}
                </Text>
              ) : null}
            </>
          ) : (
            <ChosenTitle work={work} onChange={() => setWork(null)} />
          )}
          {isShow ? (
            <>
              <SegmentedControl
                aria-label={texts.part}
                data={(['show', 'season', 'episode'] as const).map((value) => ({ value, label: texts.parts[value] }))}
                value={part}
                onChange={(value) => setPart(value as Part)}
              />
              {part === 'show' ? null : (
                <SimpleGrid cols={2}>
                  <NumberInput
                    label={texts.season}
                    min={0}
                    allowDecimal={false}
                    value={season}
                    error={shownError(errors.season)}
                    onChange={setSeason}
                  />
                  {part === 'episode' ? (
                    <NumberInput
                      label={texts.episode}
                      min={1}
                      allowDecimal={false}
                      value={episode}
                      error={shownError(errors.episode)}
                      onChange={setEpisode}
                    />
                  ) : null}
                </SimpleGrid>
              )}
            </>
          ) : null}
          {kind === 'ratings' ? (
            <NumberInput
              label={texts.rating}
              min={1}
              max={10}
              allowDecimal={false}
              value={rating}
              error={shownError(errors.rating)}
              onChange={setRating}
              maw={200}
            />
          ) : null}
          {kind === 'progress' ? (
            <NumberInput
              label={texts.progress}
              min={0}
              max={100}
              value={progress}
              error={shownError(errors.progress)}
              onChange={setProgress}
              maw={200}
            />
          ) : null}
          {hasValue ? (
            <>
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <TextInput
                  type="date"
                  label={texts.date}
                  value={date}
                  error={shownError(errors.date)}
                  onChange={(event) => setDate(event.currentTarget.value)}
                />
                <TextInput
                  type="time"
                  label={texts.time}
                  value={time}
                  onChange={(event) => setTime(event.currentTarget.value)}
                />
              </SimpleGrid>
              {date !== '' && time === '' ? (
                <Text size="sm" c="dimmed">
                  {texts.timeText}
                </Text>
              ) : null}
            </>
          ) : null}
          <Group justify="space-between">
            <Group gap="xs">
              {row === null || canRemove === null ? null : known !== undefined ? (
                <Button
                  variant="default"
                  onClick={() => {
                    changes.undo(row.key)
                    onClose()
                  }}
                >
                  {texts.restore}
                </Button>
              ) : canRemove === 'block' ? (
                <Button variant="subtle" component={Link} href={titleAddress(row.key.replace(/[#@].*$/s, ''))}>
                  {texts.toTitle}
                </Button>
              ) : (
                <Button
                  variant="subtle"
                  color="red"
                  onClick={() => {
                    changes.removeAll([row], canRemove)
                    onClose()
                  }}
                >
                  {texts.remove}
                </Button>
              )}
            </Group>
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                {texts.cancel}
              </Button>
              {row !== null && !hasValue ? null : <Button type="submit">{texts.done}</Button>}
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function valuesOf(item: Item, values: object): Item {
  return Object.fromEntries(Object.keys(values).map((name) => [name, item[name]]))
}

/** In the local time zone. A day without a time is stored as noon UTC. */
function localOf(at: string | null): { readonly date: string; readonly time: string } {
  if (at === null || !Number.isFinite(Date.parse(at))) return { date: '', time: '' }
  if (at.endsWith(`T${NOON}`) || at.length <= 10) return { date: at.slice(0, 10), time: '' }
  const local = new Date(at)
  return {
    date: `${local.getFullYear()}-${two(local.getMonth() + 1)}-${two(local.getDate())}`,
    time: `${two(local.getHours())}:${two(local.getMinutes())}`,
  }
}

function instantOf(date: string, time: string): string {
  return time === '' ? `${date}T${NOON}` : `${new Date(`${date}T${time}`).toISOString().slice(0, 19)}Z`
}

function itemOf({ type, title, year, ids }: Work, part: Part, season: number, episode: number): Item {
  const own = { title, year: year ?? undefined }
  if (type === 'movie' || part === 'show') return { type, ...own, ids }
  const of = { series_title: title, series_year: year ?? undefined, show_ids: ids, ids: {}, season }
  return part === 'season' ? { type: 'season', ...of } : { type: 'episode', ...of, episode }
}
