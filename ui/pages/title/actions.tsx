// The actions for the title. Each writes to the services that are selected in its dialog.
import { Button, Checkbox, Group, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import {
  IconBookmarkPlus,
  IconClockPlus,
  IconEye,
  IconPlayerPause,
  IconReplace,
  IconRefresh,
  IconStar,
} from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { Link } from 'wouter'
import { api, type Answer } from '../../api/client.ts'
import { ApiError } from '../../api/error.ts'
import { useChange, useRead } from '../../api/query.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { PersonFilter } from '../../parts/persons/person-filter.tsx'
import { acrossPersons, usePersons } from '../../parts/persons/persons.ts'
import { reasonText } from '../../parts/values/event-text.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { plays } from '../../texts/en/plays.ts'
import { titlePage as texts } from '../../texts/en/title.ts'
import { say } from '../../texts/say.ts'
import { idsIn, isEverywhere, type Stop } from '../../parts/titles/stopped.ts'
import { lazyPart } from '../../parts/page/lazy-part.ts'
import type { TitleData } from './data.ts'

const FixMatch = lazyPart(() => import('./match.tsx'))

type Kind = 'watched' | 'rate' | 'watchlist'
type Target = Answer<'GET /api/manual/providers'>['providers'][number]
type Result = Answer<'POST /api/manual/watched'>['results'][number]

const STRONG = ['tmdb', 'imdb', 'tvdb', 'tracka'] as const
const RATINGS = Array.from({ length: 10 }, (_, index) => String(index + 1))
const MOST_NAMES = 500
const SHOW_QUESTION = 'confirmation_required'

interface ActionsProps {
  readonly title: TitleData
  /** Undefined while it is not known. */
  readonly stop: Stop | null | undefined
  readonly onStop: () => void
}

export function Actions({ title, stop, onStop }: ActionsProps) {
  const [opened, setOpened] = useState<Kind | null>(null)
  const [isFixing, setFixing] = useState(() => new URLSearchParams(location.search).get('do') === 'match')
  const start = useChange('POST /api/run', { refresh: [['runs']] })
  const canWrite = STRONG.some((scheme) => title.ids[scheme] !== undefined)
  return (
    <>
      <Group gap="xs">
        <Group gap="xs" className="page-actions">
          <Button
            leftSection={<IconEye size={16} aria-hidden />}
            disabled={!canWrite}
            onClick={() => setOpened('watched')}
          >
            {texts.actions.watched}
          </Button>
          <Button
            variant="default"
            leftSection={<IconStar size={16} aria-hidden />}
            disabled={!canWrite}
            onClick={() => setOpened('rate')}
          >
            {texts.actions.rate}
          </Button>
          <Button
            variant="default"
            leftSection={<IconBookmarkPlus size={16} aria-hidden />}
            disabled={!canWrite}
            onClick={() => setOpened('watchlist')}
          >
            {texts.actions.watchlist}
          </Button>
        </Group>
        <Group gap="xs" className="page-actions">
          {canWrite ? (
            <Button
              variant="subtle"
              color="gray"
              px="xs"
              component={Link}
              href={`/plays/add?title=${encodeURIComponent(title.key)}`}
              leftSection={<IconClockPlus size={16} aria-hidden />}
            >
              {plays.open}
            </Button>
          ) : null}
          {stop != null && isEverywhere(stop) ? null : (
            <Button
              variant="subtle"
              color="gray"
              px="xs"
              leftSection={<IconRefresh size={16} aria-hidden />}
              loading={start.isPending}
              onClick={() =>
                start.mutate(
                  { body: { source: 'ui', titles: namesOf(title) } },
                  {
                    onSuccess: ({ status }) =>
                      notifyDone(status === 'accepted' ? texts.actions.started : texts.actions.nothing),
                    onError: (error) => notifyFailure(error),
                  },
                )
              }
            >
              {texts.actions.sync}
            </Button>
          )}
          <Button
            variant="subtle"
            color="gray"
            px="xs"
            leftSection={<IconReplace size={16} aria-hidden />}
            onClick={() => setFixing(true)}
          >
            {texts.match.open}
          </Button>
          {stop != null || idsIn(title.names).length === 0 ? null : (
            <Button
              variant="subtle"
              color="gray"
              px="xs"
              leftSection={<IconPlayerPause size={16} aria-hidden />}
              onClick={onStop}
              // Its place, until it is known whether it is stopped already.
              style={stop === undefined ? { visibility: 'hidden' } : undefined}
            >
              {texts.stop.open}
            </Button>
          )}
        </Group>
      </Group>
      {canWrite ? null : (
        <Text size="sm" c="dimmed">
          {texts.actions.noIds}
        </Text>
      )}
      {isFixing ? (
        <Suspense fallback={null}>
          <FixMatch title={title} onClose={() => setFixing(false)} />
        </Suspense>
      ) : null}
      <Modal opened={opened !== null} onClose={() => setOpened(null)} title={texts.dialog[opened ?? 'watched']}>
        {opened === null ? null : <Form kind={opened} title={title} onClose={() => setOpened(null)} />}
      </Modal>
    </>
  )
}

function Form({
  kind,
  title,
  onClose,
}: {
  readonly kind: Kind
  readonly title: TitleData
  readonly onClose: () => void
}) {
  const client = useQueryClient()
  const { data, error: failed } = useRead(['manual', 'providers'], 'GET /api/manual/providers')
  const targets = (data?.providers ?? []).filter((one) => isPossible(kind, title, one))
  const [changed, setChanged] = useState<ReadonlySet<string> | null>(null)
  const persons = usePersons().data?.persons ?? []
  const [picked, setPicked] = useState<string | null>(null)
  // Without a choice: the owner of the first account that may be theirs.
  const person = picked ?? targets.find((one) => one.own && one.person !== null)?.person ?? persons[0]?.id ?? null
  const isTheirs = (one: Target) => (person === null ? one.own : one.person === person)
  const nameOf = (one: Target) => {
    const owner = persons.find(({ id }) => id === one.person)
    return owner === undefined || owner.id === person
      ? one.display
      : say(texts.dialog.of, { account: one.display, name: owner.name })
  }
  const others = targets.filter((one) => !isTheirs(one))
  const [rating, setRating] = useState(title.rating ?? 0)
  const [date, setDate] = useState('')
  const [episodes, setEpisodes] = useState<number | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const chosen = targets.filter((one) => (changed === null ? isTheirs(one) : changed.has(idOf(one))))

  async function save() {
    setBusy(true)
    setError(null)
    try {
      const answer = await acrossPersons((confirmed) =>
        api('POST /api/manual/watched', {
          body: {
            item: { type: title.kind, title: title.title, year: title.year, ids: title.ids },
            providers: chosen.map(({ provider, instance }) => ({ provider, instance })),
            actions: { history: kind === 'watched', rating: kind === 'rate', watchlist: kind === 'watchlist' },
            ...(kind === 'rate' ? { rating } : {}),
            ...(kind === 'watched' && date !== '' ? { date_mode: 'custom', watched_on: date } : {}),
            ...(episodes === null ? {} : { confirm_show: true }),
            ...confirmed,
          },
        }),
      )
      if (answer === undefined) return
      report(answer.results, targets)
      onClose()
    } catch (caught) {
      const count = countOf(caught)
      if (count === null) setError(caught)
      else setEpisodes(count)
    } finally {
      setBusy(false)
      await api('GET /api/library/{key}', { params: { key: title.key }, query: { fresh: true } }).catch(() => {})
      await client.invalidateQueries({ queryKey: ['library'] })
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Stack>
        {failed === null ? null : <Failure error={failed} />}
        {error === null ? null : <Failure error={error as Error} />}
        {kind !== 'rate' ? null : (
          <div>
            <Text size="sm" fw={500} mb="2xs">
              {texts.dialog.rating}
            </Text>
            <SegmentedControl
              fullWidth
              aria-label={texts.dialog.rating}
              data={RATINGS}
              value={rating === 0 ? '' : String(rating)}
              onChange={(value) => setRating(Number(value))}
            />
          </div>
        )}
        {kind !== 'watched' ? null : (
          <TextInput
            type="date"
            label={texts.dialog.when}
            description={texts.dialog.whenText}
            value={date}
            onChange={(event) => setDate(event.currentTarget.value)}
          />
        )}
        {kind === 'watched' && title.kind === 'show' ? <Text size="sm">{texts.dialog.showText}</Text> : null}
        <PersonFilter
          value={person}
          onChange={(value) => {
            setPicked(value)
            setChanged(null)
          }}
        />
        {data !== undefined && targets.length === 0 ? (
          <Text size="sm">{texts.dialog.none}</Text>
        ) : (
          <Checkbox.Group
            label={texts.dialog.where}
            value={chosen.map(idOf)}
            onChange={(values) => setChanged(new Set(values))}
          >
            <Stack gap="xs" mt="xs">
              {targets.filter(isTheirs).map((one) => (
                <Checkbox key={idOf(one)} value={idOf(one)} label={nameOf(one)} />
              ))}
              {others.length === 0 ? null : (
                <Text size="sm" c="dimmed" mt="2xs">
                  {texts.dialog.others}
                </Text>
              )}
              {others.map((one) => (
                <Checkbox key={idOf(one)} value={idOf(one)} label={nameOf(one)} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.dialog.cancel}
          </Button>
          <Button type="submit" loading={isBusy} disabled={chosen.length === 0 || (kind === 'rate' && rating === 0)}>
            {episodes === null ? texts.dialog.save : say(texts.dialog.confirmShow, { n: episodes })}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** All keys under which the engine may know the title. */
export function namesOf({ key, names }: TitleData): string[] {
  return [...new Set([key, ...names])].slice(0, MOST_NAMES)
}

function isPossible(kind: Kind, title: TitleData, target: Target): boolean {
  if (target.anime_only && !title.anime) return false
  if (kind === 'rate') return target.kinds.ratings.includes(title.kind)
  if (kind === 'watchlist') return target.kinds.watchlist.includes(title.kind)
  return title.kind === 'movie' ? target.kinds.history.includes('movie') : target.show_history !== 'none'
}

function idOf({ provider, instance }: { readonly provider: string; readonly instance: string }): string {
  return `${provider}@${instance}`
}

/** The number of episodes to mark, if the service asks for confirmation. */
function countOf(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.code !== SHOW_QUESTION) return null
  const body = error.body as { readonly episodes?: unknown; readonly details?: { readonly episodes?: unknown } }
  const count = body.episodes ?? body.details?.episodes
  return typeof count === 'number' ? count : 0
}

function report(results: readonly Result[], targets: readonly Target[]): void {
  const nameOf = (one: Result) => targets.find((target) => idOf(target) === idOf(one))?.display ?? one.provider
  const problems = results.flatMap((one) => {
    const actions = [one.history, one.watchlist, one.rating].filter((action) => action !== undefined)
    if (actions.some(({ pending }) => pending === true)) return [say(texts.dialog.pending, { service: nameOf(one) })]
    if (one.ok) return []
    const reason = one.error ?? actions.find(({ status }) => status !== 'done' && status !== 'already')?.reason ?? ''
    return [say(texts.dialog.failedAt, { service: nameOf(one), reason: reasonText(reason) })]
  })
  if (problems.length === 0) notifyDone(texts.dialog.done)
  else notifyFailure(new Error(problems.join('\n')), texts.dialog.partly)
}
