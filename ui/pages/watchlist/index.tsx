// All watchlists as one list, as posters or a table, with filters and removal.
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconBookmarks, IconFilterOff } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useDeferredValue, useMemo, useState } from 'react'
import type { ApiError } from '../../api/error.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { DataTable, fromSort, type Column, type Sort, toSort } from '../../parts/lists/data-table.tsx'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { NextStep } from '../../parts/page/next-step.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { watchlist as texts } from '../../texts/en/watchlist.ts'
import { say } from '../../texts/say.ts'
import { Details } from './details.tsx'
import { filterRows, isFiltered, NO_FILTERS, sortRows, type Filters } from './filter.ts'
import { kindName, type Services, useServices } from './names.ts'
import { removeRows } from './removal.ts'
import { readList, type List, type Row } from './rows.ts'
import { SelectionBar } from './selection-bar.tsx'
import { Toolbar, type View } from './toolbar.tsx'
import { Wall } from './wall.tsx'

const HEIGHT = 'max(24rem, calc(100dvh - 17rem))'
const FRESH_MS = 60_000
/** The order of the services, in the address. */
const UNSORTED = '-'

export default function Watchlist() {
  const query = useQuery<List, ApiError>({
    queryKey: ['watchlist', 'list'],
    queryFn: ({ signal }) => readList(texts.untitled, signal),
    staleTime: FRESH_MS,
    // Structural sharing of ten thousand rows takes longer than rendering the visible ones.
    structuralSharing: false,
    placeholderData: (before) => before,
  })
  return (
    <Page title={texts.title} text={texts.intro}>
      <QueryView
        query={query}
        rows={8}
        isEmpty={({ rows }) => rows.length === 0}
        empty={<EmptyState icon={IconBookmarks} title={texts.none} text={texts.noneText} action={<NextStep />} />}
      >
        {(list) => <Titles list={list} />}
      </QueryView>
    </Page>
  )
}

function Titles({ list }: { readonly list: List }) {
  const client = useQueryClient()
  const services = useServices()
  const [view, setView] = useLocalStorage<View>({
    key: 'playhead-watchlist-view',
    defaultValue: 'wall',
    getInitialValueInEffect: false,
  })
  const [filters, setFilters] = useAddressFilters<Filters>(NO_FILTERS)
  const sort = useMemo(() => toSort(filters.sort === UNSORTED ? null : filters.sort), [filters.sort])
  const setSort = (next: Sort | null) => setFilters({ ...filters, sort: next === null ? UNSORTED : fromSort(next) })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [opened, setOpened] = useState<Row | null>(null)
  // Typing has priority over the rows.
  const deferredFilters = useDeferredValue(filters)
  const order = useDeferredValue(sort)
  const sorted = useMemo(() => sortRows(list.rows, order), [list.rows, order])
  const shown = useMemo(
    () => (isFiltered(deferredFilters) ? filterRows(sorted, deferredFilters) : sorted),
    [sorted, deferredFilters],
  )
  const chosen = useMemo(
    () => (selected.size === 0 ? [] : list.rows.filter(({ key }) => selected.has(key))),
    [list.rows, selected],
  )
  const columns = useMemo(() => columnsOf(services), [services])

  async function remove(rows: readonly Row[], source: string | null) {
    setOpened(null)
    if (await removeRows(rows, source, services, () => client.invalidateQueries({ queryKey: ['watchlist', 'list'] })))
      setSelected(new Set())
  }

  return (
    <Stack gap="sm">
      <Toolbar
        list={list}
        services={services}
        filters={filters}
        onFilters={setFilters}
        sort={sort}
        onSort={setSort}
        view={view}
        onView={setView}
      />
      <Group justify="space-between" gap="xs" mih={24}>
        <Text size="sm" c="dimmed" role="status">
          {isFiltered(deferredFilters)
            ? say(texts.shownOf, { n: shown.length, total: list.rows.length })
            : say(texts.shown, { n: list.rows.length })}
        </Text>
        {list.readAtMs === null ? null : (
          <Text size="sm" c="dimmed">
            {texts.lastRead} <TimeText at={list.readAtMs} />
          </Text>
        )}
      </Group>
      <SelectionBar
        rows={chosen}
        services={services}
        onClear={() => setSelected(new Set())}
        onRemove={(source) => void remove(chosen, source)}
      />
      {shown.length === 0 ? (
        <EmptyState
          icon={IconFilterOff}
          title={texts.noMatch}
          text={texts.noMatchText}
          action={
            <Button variant="default" onClick={() => setFilters({ ...NO_FILTERS, sort: filters.sort })}>
              {texts.clear}
            </Button>
          }
        />
      ) : view === 'wall' ? (
        <Wall
          rows={shown}
          query={deferredFilters}
          services={services}
          selected={selected}
          onSelect={setSelected}
          onOpen={setOpened}
          height={HEIGHT}
        />
      ) : (
        <DataTable
          label={texts.label}
          columns={columns}
          rows={shown}
          rowKey={keyOf}
          sort={sort}
          onSort={setSort}
          selected={selected}
          onSelect={setSelected}
          onOpen={setOpened}
          height={HEIGHT}
        />
      )}
      <Details
        row={opened}
        services={services}
        onClose={() => setOpened(null)}
        onRemove={(row, source) => void remove([row], source)}
      />
    </Stack>
  )
}

function keyOf({ key }: Row): string {
  return key
}

function columnsOf(services: Services): readonly Column<Row>[] {
  const { title, kind, year, on, added } = texts.columns
  return [
    {
      id: 'title',
      header: title,
      cell: (row) => (
        <Text size="sm" fw={500} truncate>
          {row.title}
        </Text>
      ),
      sortValue: ({ plain }) => plain,
      width: '3fr',
      isTitle: true,
    },
    {
      id: 'kind',
      header: kind,
      cell: (row) => <Text size="sm">{kindName(row.kind)}</Text>,
      sortValue: (row) => row.kind,
      width: '6rem',
    },
    {
      id: 'year',
      header: year,
      cell: (row) => <Text size="sm">{row.year ?? ''}</Text>,
      sortValue: (row) => row.year,
      width: '5rem',
    },
    {
      id: 'on',
      isBare: true,
      header: on,
      cell: ({ sources }) => (
        <Group gap="2xs">
          {sources.map((token) => (
            <Badge key={token} variant="light" color="gray" tt="none" fw={500}>
              {services(token).label}
            </Badge>
          ))}
        </Group>
      ),
      width: '2fr',
    },
    {
      id: 'added',
      isBare: true,
      header: added,
      cell: ({ addedMs }) => (
        <Text size="sm" component="span">
          <TimeText at={addedMs} never="" />
        </Text>
      ),
      sortValue: ({ addedMs }) => addedMs,
      width: '8rem',
    },
  ]
}
