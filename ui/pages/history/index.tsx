// All plays by day, newest first.
import { Button, Group, Select, Stack, Switch, Text, TextInput, Title } from '@mantine/core'
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
import { PersonFilter } from '../../parts/persons/person-filter.tsx'
import { useKnownPerson } from '../../parts/persons/persons.ts'
import { useNames } from '../../parts/values/names.ts'
import { history as texts } from '../../texts/en/history.ts'
import { plays as addPlay } from '../../texts/en/plays.ts'
import { say } from '../../texts/say.ts'
import { dayName, isFiltered, NO_FILTERS, queryOf, rowsOf, type Filters } from './rows.ts'
import { serviceOption } from '../../parts/values/service-mark.tsx'

const TYPING_MS = 200
const KNOWN = { kind: Object.keys(texts.kinds), from: isDay, to: isDay }
const PAGE_ROWS = 100
/** Heights before they are measured, in pixels. */
const DAY = 52
const LINE = 61

export default function History() {
  const [filters, setFilters] = useAddressFilters<Filters>(NO_FILTERS, KNOWN)
  const [text] = useDebouncedValue(filters.text, TYPING_MS)
  const person = useKnownPerson(filters.person) ?? null
  const query = useMemo(() => queryOf({ ...filters, person, text }), [filters, person, text])
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
      isFilled
      actions={
        <Button component={Link} href="/plays/add" variant="default" leftSection={<IconPlus size={16} aria-hidden />}>
          {addPlay.open}
        </Button>
      }
    >
      <Stack gap="sm" className="filled">
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
  const rows = useMemo(() => rowsOf(plays), [plays])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => ('day' in rows[index]! ? DAY : LINE),
    overscan: 6,
    useFlushSync: false,
  })
  useKeptPlace('history', scroller, width > 0)
  const items = virtual.getVirtualItems()
  const [from, to] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => {
    const seen = rows.slice(from, to + 1).flatMap((row) => ('day' in row ? [] : [row.index]))
    onRange(seen[0] ?? 0, seen.at(-1) ?? 0)
  }, [from, to, rows, onRange])
  const onKeyDown = moveByArrows({
    count: plays.length,
    reveal: (index) => virtual.scrollToIndex(rows.findIndex((row) => 'play' in row && row.index === index)),
  })
  return (
    <div
      ref={ref}
      className="wall filled"
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
              {'day' in row ? (
                <Title order={2} size="h5" pt="md" pb="xs">
                  {dayName(row.day)}
                </Title>
              ) : (
                <div
                  data-item={row.index}
                  className="day-line"
                  data-first={row.isFirst || undefined}
                  data-last={row.isLast || undefined}
                >
                  <PlayRow play={row.play} />
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
  const { kind, account, person, from, to, duplicates } = filters
  const count = [kind, account, person, from, to, duplicates || null].filter((one) => one !== null && one !== '').length
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
      <PersonFilter value={filters.person} onChange={(value) => set({ person: value })} style={FIELD} />
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
