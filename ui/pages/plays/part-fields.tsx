// Selects the part of a show: episodes, a season, or everything aired. If the service does not know the episodes, the user
// types their numbers.
import {
  Button,
  Chip,
  Group,
  Input,
  NumberInput,
  ScrollArea,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { isApiError, type ApiError } from '../../api/error.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import type { Work } from '../../parts/titles/title-search.tsx'
import { plays } from '../../texts/en/plays.ts'
import { say } from '../../texts/say.ts'
import { type Episode, numbersOf, type Part, type Target } from './state.ts'

const { what: texts } = plays
/** Codes for an unknown list of episodes. */
const UNKNOWN: readonly string[] = ['episodes_unknown', 'nothing_aired', 'too_many_episodes']

interface PartFieldsProps {
  readonly work: Work
  readonly part: Part
  readonly targets: readonly Target[]
  readonly error: string | null
  readonly onPart: (part: Part) => void
}

export function PartFields(props: PartFieldsProps) {
  const { work, part, targets, error, onPart } = props
  const query = useEpisodes(work, targets)
  const isUnknown = isApiError(query.error) && UNKNOWN.includes(query.error.code)
  const seasons = useMemo(() => [...new Set((query.data ?? []).map(({ season }) => season))], [query.data])
  const kinds = [
    { value: 'episodes', label: texts.episodes },
    { value: 'season', label: texts.season },
    ...(isUnknown ? [] : [{ value: 'all', label: texts.show }]),
  ]
  const season = part.kind === 'all' ? (seasons[0] ?? 1) : part.season
  const set = (kind: string, of = season) =>
    onPart(
      kind === 'all'
        ? { kind }
        : kind === 'season'
          ? { kind, season: of }
          : { kind: 'episodes', season: of, episodes: part.kind === 'episodes' && of === season ? part.episodes : [] },
    )
  if (query.isPending) return <Loading rows={2} />
  return (
    <Input.Wrapper label={texts.label} labelElement="div" error={error}>
      <Stack gap="sm" mt="2xs">
        {query.error === null || isUnknown ? null : (
          <Failure error={query.error} onRetry={() => void query.refetch()} />
        )}
        <SegmentedControl
          aria-label={texts.label}
          data={kinds}
          value={part.kind}
          onChange={(kind) => set(kind)}
          style={{ alignSelf: 'flex-start', maxWidth: '100%' }}
        />
        {part.kind === 'all' ? (
          <Text size="sm" c="dimmed">
            {say(texts.known, { n: query.data?.length ?? 0 })}
          </Text>
        ) : isUnknown || query.data === undefined ? (
          <NumberInput
            label={texts.seasonLabel}
            min={0}
            max={10_000}
            allowDecimal={false}
            maw={200}
            value={season}
            onChange={(value) => set(part.kind, Number(value) || 0)}
          />
        ) : (
          <Select
            label={texts.seasonLabel}
            data={seasons.map((n) => ({ value: String(n), label: seasonName(n) }))}
            value={String(seasons.includes(season) ? season : (seasons[0] ?? 1))}
            onChange={(value) => set(part.kind, Number(value))}
            allowDeselect={false}
            maw={240}
          />
        )}
        {part.kind !== 'episodes' ? null : isUnknown || query.data === undefined ? (
          <Numbers part={part} onPart={onPart} />
        ) : (
          <Episodes
            all={query.data.filter((one) => one.season === (seasons.includes(season) ? season : seasons[0]))}
            part={part}
            onPart={onPart}
          />
        )}
      </Stack>
    </Input.Wrapper>
  )
}

const seasonName = (n: number) => (n === 0 ? texts.specials : say(texts.seasonName, { n }))

interface EpisodesProps {
  readonly all: readonly Episode[]
  readonly part: Extract<Part, { readonly kind: 'episodes' }>
  readonly onPart: (part: Part) => void
}

function Episodes({ all, part, onPart }: EpisodesProps) {
  const season = all[0]?.season ?? part.season
  const set = (episodes: readonly number[]) => onPart({ kind: 'episodes', season, episodes })
  const name = say(texts.episodeList, { n: season })
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button size="compact-xs" variant="default" onClick={() => set(all.map(({ episode }) => episode))}>
          {texts.all}
        </Button>
        <Button size="compact-xs" variant="default" onClick={() => set([])}>
          {texts.nothing}
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {say(texts.chosen, { n: part.episodes.length })}
        </Text>
      </Group>
      <ScrollArea.Autosize mah={260} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': name }}>
        <Chip.Group
          multiple
          value={part.episodes.map(String)}
          onChange={(next) => set(next.map(Number).toSorted((a, b) => a - b))}
        >
          <Group gap="xs" role="group" aria-label={name}>
            {all.map(({ episode, title }) => (
              <Chip
                key={episode}
                value={String(episode)}
                size="sm"
                variant="outline"
                title={title ?? ''}
                className="chip"
              >
                {title === null ? episode : `${episode} · ${title}`}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      </ScrollArea.Autosize>
    </Stack>
  )
}

function Numbers({ part, onPart }: Omit<EpisodesProps, 'all'>) {
  const [text, setText] = useState(part.episodes.join(', '))
  const numbers = numbersOf(text)
  return (
    <TextInput
      label={texts.numbers}
      description={texts.numbersText}
      inputMode="numeric"
      maw={360}
      value={text}
      error={numbers === null ? texts.badNumbers : null}
      onChange={(event) => {
        setText(event.currentTarget.value)
        onPart({ ...part, episodes: numbersOf(event.currentTarget.value) ?? [] })
      }}
    />
  )
}

/** Previews marking the whole show, which lists its episodes. */
function useEpisodes(work: Work, targets: readonly Target[]) {
  const [first] = targets
  return useQuery<readonly Episode[], ApiError>({
    queryKey: ['manual', 'episodes', work.ids],
    enabled: first !== undefined,
    retry: false,
    staleTime: 300_000,
    queryFn: async ({ signal }) => {
      const { plays: found = [] } = await api('POST /api/manual/watched', {
        body: {
          item: { type: 'show', title: work.title, year: work.year, ids: work.ids },
          providers: [{ provider: first?.provider ?? '', instance: first?.instance ?? 'default' }],
          dry_run: true,
        },
        signal,
      })
      return found.flatMap(({ season, episode, title }) =>
        season === null || episode === null ? [] : [{ season, episode, title }],
      )
    },
  })
}
