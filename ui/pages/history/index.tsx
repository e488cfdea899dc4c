// All plays by day, newest first.
import { Button, Group, Paper, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { IconClockPlay, IconFilterOff, IconPlus } from '@tabler/icons-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'wouter'
import { api, type Answer } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { useRead } from '../../api/query.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { NextStep } from '../../parts/page/next-step.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { Page } from '../../parts/page/page.tsx'
import { FIELD, FilterPanel } from '../../parts/titles/filter-panel.tsx'
import { type Play, PlayRow } from '../../parts/titles/play-list.tsx'
import { timeZone } from '../../parts/titles/ask-again.ts'
import { useNames } from '../../parts/values/names.ts'
import { history as texts } from '../../texts/en/history.ts'
import { plays as addPlay } from '../../texts/en/plays.ts'
import { say } from '../../texts/say.ts'
import { dayName, isFiltered, NO_FILTERS, queryOf, rowsOf, type Filters } from './rows.ts'

type HistoryPage = Answer<'GET /api/history'>

const HEIGHT = 'max(24rem, calc(100dvh - 15rem))'
const TYPING_MS = 200
const PAGE_ROWS = 100
const READ_AHEAD = 15
const AGAIN_MS = 1_500

export default function History() {
  const [filters, setFilters] = useState<Filters>(NO_FILTERS)
  const [text] = useDebouncedValue(filters.text, TYPING_MS)
  const query = useMemo(() => queryOf({ ...filters, text }), [filters, text])
  const list = useInfiniteQuery<
    HistoryPage,
    ApiError,
    { pages: readonly HistoryPage[]; pageParams: unknown[] },
    readonly unknown[],
    string
  >({
    queryKey: ['history', query],
    queryFn: ({ pageParam, signal }) =>
      api('GET /api/history', { query: { ...query, tz: timeZone, limit: PAGE_ROWS, cursor: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    // Only while there is one page: more would be read again with it.
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && data.pages[0]?.index.current === false ? AGAIN_MS : false,
  })
  const pages = list.data?.pages
  const plays = useMemo(() => pages?.flatMap(({ items }) => items), [pages])
  const total = pages?.[0]?.total ?? 0
  return (
    <Page
      title={texts.title}
      text={texts.intro}
      actions={
        <Button component={Link} href="/plays/add" variant="default" leftSection={<IconPlus size={16} aria-hidden />}>
          {addPlay.open}
        </Button>
      }
    >
      <Stack gap="sm">
        <Toolbar filters={filters} onFilters={setFilters} />
        <Text size="sm" c="dimmed" role="status" mih={22}>
          {plays === undefined ? '' : say(texts.shown, { n: total })}
        </Text>
        {list.error === null ? null : <Failure error={list.error} onRetry={() => void list.refetch()} />}
        {plays === undefined ? (
          list.error === null ? (
            <Loading rows={8} />
          ) : null
        ) : plays.length > 0 ? (
          <Plays
            plays={plays}
            hasMore={list.hasNextPage}
            isLoading={list.isFetchingNextPage}
            onMore={() => void list.fetchNextPage()}
          />
        ) : isFiltered(filters) ? (
          <EmptyState
            icon={IconFilterOff}
            title={texts.noMatch}
            text={texts.noMatchText}
            action={
              <Button variant="default" onClick={() => setFilters(NO_FILTERS)}>
                {texts.clear}
              </Button>
            }
          />
        ) : (
          <EmptyState icon={IconClockPlay} title={texts.none} text={texts.noneText} action={<NextStep />} />
        )}
      </Stack>
    </Page>
  )
}

function Plays({
  plays,
  hasMore,
  isLoading,
  onMore,
}: {
  readonly plays: readonly Play[]
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly onMore: () => void
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useMemo(() => rowsOf(plays), [plays])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (typeof rows[index] === 'string' ? 52 : 88),
    overscan: 6,
    useFlushSync: false,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && !isLoading && last >= rows.length - READ_AHEAD) onMore()
  }, [hasMore, isLoading, last, rows.length, onMore])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
    <div ref={scroller} className="wall" style={{ height: HEIGHT }} role="region" aria-label={texts.label} tabIndex={0}>
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {items.map(({ index, key, start }) => {
          const row = rows[index]!
          return (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="history-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              {typeof row === 'string' ? (
                <Text component="h2" size="md" fw={650} pt="md" pb={6}>
                  {dayName(row)}
                </Text>
              ) : (
                <Paper withBorder px="md" py={4} mb={8}>
                  <PlayRow play={row} />
                </Paper>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function Toolbar({
  filters,
  onFilters,
}: {
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
}) {
  const names = useNames()
  const { data } = useRead(['library', 'accounts'], 'GET /api/library', { query: { limit: 1 } })
  const set = (part: Partial<Filters>) => onFilters({ ...filters, ...part })
  const count = [filters.kind, filters.account, filters.from, filters.to, filters.duplicates || null].filter(
    (one) => one !== null && one !== '',
  ).length
  return (
    <FilterPanel
      texts={texts}
      search={filters.text}
      onSearch={(text) => set({ text })}
      set={count}
      onClear={() => onFilters(NO_FILTERS)}
    >
      <Select
        label={texts.kind}
        placeholder={texts.allKinds}
        clearable
        data={Object.entries(texts.kinds).map(([value, label]) => ({ value, label }))}
        value={filters.kind}
        onChange={(kind) => set({ kind: kind as Filters['kind'] })}
        style={FIELD}
      />
      <Select
        label={texts.account}
        placeholder={texts.allAccounts}
        clearable
        data={(data?.accounts ?? []).map(({ provider, instance }) => ({
          value: `${provider}@${instance}`,
          label: names.account(provider, instance),
        }))}
        value={filters.account}
        onChange={(account) => set({ account })}
        style={FIELD}
      />
      <TextInput
        type="date"
        label={texts.from}
        value={filters.from}
        onChange={(event) => set({ from: event.currentTarget.value })}
        style={FIELD}
      />
      <TextInput
        type="date"
        label={texts.to}
        value={filters.to}
        onChange={(event) => set({ to: event.currentTarget.value })}
        style={FIELD}
      />
      <Group h={36}>
        <Switch
          label={texts.duplicates}
          checked={filters.duplicates}
          onChange={(event) => set({ duplicates: event.currentTarget.checked })}
        />
      </Group>
    </FilterPanel>
  )
}
