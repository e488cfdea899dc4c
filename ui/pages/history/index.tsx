// All plays by day, newest first.
import { Button, Group, Paper, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useDebouncedValue, useElementSize, useMergedRef } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { IconClockPlay, IconFilterOff, IconPlus } from '@tabler/icons-react'
import { useEffect, useMemo, useRef } from 'react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { type Endless, useEndless } from '../../api/endless.ts'
import { useRead } from '../../api/query.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { NextStep } from '../../parts/page/next-step.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { Page } from '../../parts/page/page.tsx'
import { isDay, useAddressFilters } from '../../parts/lists/address-filters.ts'
import { FIELD, FilterPanel } from '../../parts/lists/filter-panel.tsx'
import { moveByArrows } from '../../parts/lists/arrows.ts'
import { useKeptPlace } from '../../parts/lists/kept-place.ts'
import { type Play, PlayRow } from '../../parts/titles/play-list.tsx'
import { againAfter, timeZone } from '../../parts/titles/ask-again.ts'
import { useNames } from '../../parts/values/names.ts'
import { history as texts } from '../../texts/en/history.ts'
import { plays as addPlay } from '../../texts/en/plays.ts'
import { say } from '../../texts/say.ts'
import { dayName, isFiltered, NO_FILTERS, queryOf, rowsOf, type Filters } from './rows.ts'
import { serviceOption } from '../../parts/values/service-mark.tsx'

const HEIGHT = 'max(24rem, calc(100dvh - 15rem))'
const TYPING_MS = 200
const KNOWN = { kind: Object.keys(texts.kinds), from: isDay, to: isDay }
const PAGE_ROWS = 100
/** Minimum width of a play, in pixels. */
const MIN_WIDTH = 360

export default function History() {
  const [filters, setFilters] = useAddressFilters<Filters>(NO_FILTERS, KNOWN)
  const [text] = useDebouncedValue(filters.text, TYPING_MS)
  const query = useMemo(() => queryOf({ ...filters, text }), [filters, text])
  const list = useEndless({
    key: ['history', query],
    size: PAGE_ROWS,
    read: ({ cursor }, signal) =>
      api('GET /api/history', { query: { ...query, tz: timeZone, limit: PAGE_ROWS, cursor }, signal }),
    rowsOf: ({ items }) => items,
    idOf: ({ key, season, episode, watched_at: at }) => `${key} ${season} ${episode} ${at}`,
    totalOf: ({ total }) => total,
    cursorOf: ({ next_cursor: next }) => next,
    keepPrevious: true,
    refetchInterval: againAfter,
  })
  const { rows: plays, total } = list
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
        {list.error === null ? null : <Failure error={list.error} onRetry={list.retry} />}
        {plays === undefined ? (
          list.error === null ? (
            <Loading rows={8} />
          ) : null
        ) : plays.length > 0 ? (
          <Plays plays={plays} endless={list.list} />
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

function Plays({ plays, endless: { onRange } }: { readonly plays: readonly Play[]; readonly endless: Endless }) {
  const scroller = useRef<HTMLDivElement>(null)
  const { ref: sizeRef, width } = useElementSize<HTMLDivElement>()
  const ref = useMergedRef(scroller, sizeRef)
  const columns = Math.max(1, Math.floor(width / MIN_WIDTH))
  const rows = useMemo(() => rowsOf(plays, columns), [plays, columns])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (typeof rows[index] === 'string' ? 52 : 90),
    overscan: 6,
    useFlushSync: false,
  })
  useKeptPlace('history', scroller, width > 0)
  /** How many plays are before each row. Headings of days are rows, too. */
  const before = useMemo(() => {
    let sum = 0
    return rows.map((row) => {
      const first = sum
      sum += typeof row === 'string' ? 0 : row.length
      return first
    })
  }, [rows])
  const items = virtual.getVirtualItems()
  const [from, to] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => {
    onRange(before[from] ?? 0, Math.max(0, (before[to + 1] ?? plays.length) - 1))
  }, [from, to, before, plays.length, onRange])
  const onKeyDown = moveByArrows({
    count: plays.length,
    reveal: (index) => virtual.scrollToIndex(before.findLastIndex((first) => first <= index)),
  })
  return (
    <div
      ref={ref}
      className="wall"
      style={{ height: HEIGHT }}
      role="region"
      aria-label={texts.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {(width === 0 ? [] : items).map(({ index, key, start }) => {
          const row = rows[index]!
          return (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="virtual-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              {typeof row === 'string' ? (
                <Text component="h2" size="md" fw={650} pt="md" pb={6}>
                  {dayName(row)}
                </Text>
              ) : (
                <div className="history-plays" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
                  {row.map((play, column) => (
                    <Paper
                      key={`${play.key} ${play.season} ${play.episode} ${play.watched_at}`}
                      data-item={(before[index] ?? 0) + column}
                      withBorder
                      px="sm"
                      py={4}
                    >
                      <PlayRow play={play} />
                    </Paper>
                  ))}
                </div>
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
      search={{ label: texts.search, value: filters.text, onChange: (text) => set({ text }) }}
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
        renderOption={serviceOption}
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
