// Current playback on the connected services. Followed accounts update at once, others at intervals.
import { Anchor, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconLoader2, IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Link } from 'wouter'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { useEventStream } from '../../api/stream.ts'
import { episodeCode } from '../../parts/values/episode.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { lazyPart } from '../../parts/page/lazy-part.ts'
import { useKnownPerson } from '../../parts/persons/persons.ts'
import { useNames, type Names } from '../../parts/values/names.ts'
import type { Pictured } from '../../parts/titles/pictures.ts'
import { TimeText } from '../../parts/values/time-text.tsx'
import { home } from '../../texts/en/home.ts'
import { parts } from '../../texts/en/parts.ts'
import { say } from '../../texts/say.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { NowCard } from './now-card.tsx'

type Playing = Answer<'GET /api/watch/currently_watching'>
type Stream = Playing['streams'][number]

const { playing: texts } = home
const PersonFilter = lazyPart(
  () => import('../../parts/persons/person-filter.tsx'),
  ({ PersonFilter: part }) => part,
)
const REFRESH_MS = 60_000
/** A play is recorded shortly after its playback has ended. */
const RECORDED_MS = 3_000
/** Older reports show their time. */
const STALE_SECONDS = 60
const ICONS = { playing: IconPlayerPlayFilled, paused: IconPlayerPauseFilled, buffering: IconLoader2 } as const

/** A single session needs no filter. */
const MANY = 2
const NO_FILTERS: { readonly person: string | null } = { person: null }

export function usePlaying() {
  const [{ person }] = useAddressFilters(NO_FILTERS)
  return useRead(
    ['watch', 'playing'],
    'GET /api/watch/currently_watching',
    { query: { person: useKnownPerson(person) } },
    { keepPrevious: true, refetchInterval: REFRESH_MS, staleTime: 0 },
  )
}

/** @param hideWhenUnsupported renders nothing if no connected service reports playback */
export function PlayingNow({
  query: { data, isError, refetch },
  hideWhenUnsupported = false,
}: {
  readonly query: ReturnType<typeof usePlaying>
  readonly hideWhenUnsupported?: boolean
}) {
  const names = useNames()
  const [filters, setFilters] = useAddressFilters(NO_FILTERS)
  const client = useQueryClient()
  const changed = () => {
    void client.invalidateQueries({ queryKey: ['watch', 'playing'] })
    void client.invalidateQueries({ queryKey: ['scrobbling', 'overview'] })
    setTimeout(() => void client.invalidateQueries({ queryKey: ['history'] }), RECORDED_MS)
  }
  useEventStream((data?.accounts_count ?? 0) > 0 ? '/api/watch/stream' : null, { message: changed, gap: changed })
  if (hideWhenUnsupported && (data?.accounts_count ?? 0) === 0) return null
  return (
    <Stack gap="sm" component="section" aria-label={texts.title}>
      <Group gap="sm" align="baseline" mih={25}>
        <Title order={2} size="h4">
          {texts.title}
        </Title>
        {data === undefined && !isError ? (
          <Skeleton h={14} w={120} />
        ) : (
          <Text size="sm" c="dimmed" component="div">
            {data === undefined ? (
              <>
                {texts.failed}{' '}
                <Anchor component="button" type="button" inherit underline="always" onClick={() => void refetch()}>
                  {parts.retry}
                </Anchor>
              </>
            ) : (
              summaryOf(data)
            )}
          </Text>
        )}
        {filters.person === null && (data?.streams.length ?? 0) < MANY ? null : (
          <Suspense>
            <PersonFilter
              isLabelHidden
              value={filters.person}
              onChange={(person) => setFilters({ person })}
              size="xs"
              style={{ marginInlineStart: 'auto' }}
            />
          </Suspense>
        )}
      </Group>
      {data === undefined || data.streams.length === 0 ? null : (
        <>
          <StreamCard stream={data.streams[0]!} names={names} now={data.ts} isHero />
          <div className="streams">
            {data.streams.slice(1).map((stream) => (
              <StreamCard key={stream._key} stream={stream} names={names} now={data.ts} />
            ))}
          </div>
        </>
      )}
      {data === undefined || !names.isKnown
        ? null
        : data.unavailable.map((one) => (
            <Text key={`${one.provider} ${one.provider_instance}`} size="sm" c="dimmed">
              {missingReason(one, names)}
            </Text>
          ))}
    </Stack>
  )
}

function StreamCard({
  stream,
  names,
  now,
  isHero = false,
}: {
  readonly stream: Stream
  readonly names: Names
  readonly now: number
  readonly isHero?: boolean
}) {
  const { title, state, account, device, provider, provider_instance: instance, updated } = stream
  const Icon = ICONS[state]
  const episode = episodeText(stream)
  const place = placeText(stream)
  return (
    <NowCard
      label={episode === '' ? title : `${title}, ${episode}`}
      title={title}
      pictured={picturedOf(stream)}
      isHero={isHero}
      progress={stream.progress === null || place === null ? null : { percent: stream.progress, text: place }}
      state={
        <Group gap="xs" wrap="nowrap" align="baseline">
          <Icon size={13} aria-hidden style={{ flexShrink: 0, alignSelf: 'center' }} />
          <Text size="sm" component="div">
            {texts.states[state]}
            {place === null ? null : (
              <Text span inherit c="dimmed">
                {' '}
                · {place}
              </Text>
            )}
            {now - updated <= STALE_SECONDS ? null : (
              <Text span inherit c="dimmed">
                {' '}
                · {texts.reportedAt} <TimeText at={updated * 1000} />
              </Text>
            )}
          </Text>
        </Group>
      }
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {episode === '' ? (stream.year ?? ' ') : episode}
      </Text>
      <Text size="sm" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
        {account === null ? null : <>{account} · </>}
        <ServiceMark provider={provider} size={16} />
        <Anchor
          component={Link}
          href={`/connections/${encodeURIComponent(provider)}`}
          inherit
          c="inherit"
          underline="always"
        >
          {names.account(provider, instance)}
        </Anchor>
        {device === null ? null : <> · {device}</>}
      </Text>
    </NowCard>
  )
}

/** Ids of the show end in `_show`. */
function picturedOf({ media_type: kind, ids }: Stream): Pictured {
  if (kind === 'movie') return { kind, ids }
  const ofShow = Object.entries(ids).flatMap(([name, id]) => (name.endsWith('_show') ? [[name.slice(0, -5), id]] : []))
  return { kind, ids: Object.fromEntries(ofShow) as Pictured['ids'] }
}

/** null if the service does not report the position. */
function placeText({ position_ms: position, duration_ms: duration }: Stream): string | null {
  if (position === null) return null
  return duration === null
    ? say(texts.at, { at: clock(position) })
    : say(texts.of, { at: clock(position), length: clock(duration) })
}

function summaryOf({ streams, accounts_count: accounts }: Playing): string {
  return streams.length > 0 ? say(texts.count, { n: streams.length }) : accounts > 0 ? texts.none : texts.unsupported
}

function missingReason(
  { provider, provider_instance: instance, reason }: Playing['unavailable'][number],
  names: Names,
): string {
  const account = names.account(provider, instance)
  return say(
    reason in texts.missingReasons ? texts.missingReasons[reason as keyof typeof texts.missingReasons] : texts.missing,
    { account },
  )
}

/** `S01E03 · Static`, or the known part of that. */
function episodeText({ season, episode, episode_title: name }: Stream): string {
  return [episodeCode(season, episode), name ?? ''].filter((part) => part !== '').join(' · ')
}

/** `1:02:09`, `4:07` */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const rest = String(seconds % 60).padStart(2, '0')
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, '0')}:${rest}`
}
