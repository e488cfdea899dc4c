// All runs and the current one.
import { Button, Group, Select, Stack, Switch, Text, Title } from '@mantine/core'
import { IconFilterOff, IconHistory } from '@tabler/icons-react'
import { useMemo } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import { useRead } from '../../api/query.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { FIELD, FilterPanel } from '../../parts/lists/filter-panel.tsx'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { NextStep } from '../../parts/page/next-step.tsx'
import { type Run, RunBadge, undoneText } from '../../parts/runs/run-badge.tsx'
import type { SyncState } from '../../parts/runs/sync-badge.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { Page } from '../../parts/page/page.tsx'
import { RunAll } from '../../parts/runs/run-all.tsx'
import { LiveRunCard } from '../../parts/runs/live-run-card.tsx'
import { useLiveRun } from '../../parts/runs/use-live-run.ts'
import { type Names, useAccounts, useNames } from '../../parts/values/names.ts'
import { TimeText } from '../../parts/values/time-text.tsx'
import { changesText, durationText } from '../../parts/runs/run-text.ts'
import { runs } from '../../texts/en/runs.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'
import { sourceText } from './status.ts'

const idOf = ({ run_id: id }: Run) => id
const PAGE_SIZE = 100
const STATES = Object.entries(runs.stateNames).map(([value, label]) => ({ value, label }))
const SOURCES = Object.entries(runs.sources).map(([value, label]) => ({ value, label }))
const { list } = runs

interface Filters {
  readonly pair: string | null
  readonly state: SyncState | null
  readonly source: string | null
  /** Whether plans are listed, too. */
  readonly plans: boolean
}

const NO_FILTERS: Filters = { pair: null, state: null, source: null, plans: false }
const KNOWN = { state: Object.keys(runs.stateNames), source: Object.keys(runs.sources) }

export function RunList() {
  const [, navigate] = useLocation()
  const live = useLiveRun()
  const [filters, setFilters] = useAddressFilters<Filters>(NO_FILTERS, KNOWN)
  const { pair: pairId, state, source, plans: withPlans } = filters
  const set = (part: Partial<Filters>) => setFilters({ ...filters, ...part })
  const filter = {
    pair_id: pairId ?? undefined,
    state: state ?? undefined,
    source: source ?? undefined,
    dry_run: withPlans ? undefined : false,
  }
  const isFiltered = pairId !== null || state !== null || source !== null
  const clear = () => setFilters({ ...NO_FILTERS, plans: withPlans })

  const ofPairs = useRead(['pairs'], 'GET /api/pairs', undefined, { staleTime: 60_000 })
  const pairs = ofPairs.data
  const query = useEndless({
    key: ['runs', 'list', filter],
    size: PAGE_SIZE,
    read: ({ offset }, signal) => api('GET /api/runs', { query: { ...filter, offset, limit: PAGE_SIZE }, signal }),
    rowsOf: (page) => page.runs,
    idOf,
    totalOf: ({ total }) => total,
    keepPrevious: true,
  })
  const names = useNames()
  // A run is named by its pair.
  const rows = [ofPairs, useAccounts()].some(({ isPending }) => isPending) ? undefined : query.rows
  const columns = useMemo(
    () => columnsFor(new Map((pairs ?? []).map(({ id, name }) => [id, name])), names),
    [pairs, names],
  )

  return (
    <Page
      title={shell.pages.runs}
      text={runs.intro}
      actions={pairs?.length === 0 ? undefined : <RunAll isRunning={live.isRunning} />}
    >
      {live.isRunning ? <LiveRunCard live={live} withLink /> : null}
      <Stack gap="sm">
        <Title order={2} size="h4">
          {list.history}
        </Title>
        <FilterPanel set={[pairId, state, source].filter((one) => one !== null).length} onClear={clear}>
          <Select
            label={list.pairFilter}
            placeholder={list.all}
            clearable
            style={FIELD}
            value={pairId}
            onChange={(pair) => set({ pair })}
            data={(pairs ?? []).map(({ id, name }) => ({ value: id, label: name || runs.noName }))}
          />
          <Select
            label={list.resultFilter}
            placeholder={list.all}
            clearable
            style={FIELD}
            value={state}
            onChange={(value) => set({ state: value as SyncState | null })}
            data={STATES}
          />
          <Select
            label={list.columns.source}
            placeholder={list.all}
            clearable
            style={FIELD}
            value={source}
            onChange={(value) => set({ source: value })}
            data={SOURCES}
          />
          <Switch
            label={list.withPlans}
            checked={withPlans}
            onChange={(event) => set({ plans: event.currentTarget.checked })}
            mb="xs"
          />
        </FilterPanel>
        {query.error === null ? null : <Failure error={query.error} onRetry={query.retry} />}
        {rows === undefined ? (
          query.error === null ? (
            <Loading rows={6} />
          ) : null
        ) : rows.length > 0 ? (
          <DataTable
            label={list.label}
            columns={columns}
            rows={rows}
            rowKey={idOf}
            total={query.total}
            onOpen={({ run_id: id }) => navigate(`/runs/${id}`)}
            endless={query.list}
          />
        ) : isFiltered ? (
          <EmptyState
            icon={IconFilterOff}
            title={list.noMatch}
            text={list.noMatchText}
            action={
              <Button variant="default" onClick={clear}>
                {list.clear}
              </Button>
            }
          />
        ) : (
          <EmptyState icon={IconHistory} title={list.none} text={list.noneText} action={<NextStep />} />
        )}
      </Stack>
    </Page>
  )
}

function columnsFor(pairNames: ReadonlyMap<string, string>, names: Names): readonly Column<Run>[] {
  const nameOf = (id: string) => pairNames.get(id) || runs.gonePair
  const ofAccounts = ({ accounts, source }: Run) =>
    accounts.length > 0
      ? accounts.map(({ provider, instance }) => names.account(provider, instance)).join(', ')
      : source === 'backup'
        ? runs.ownData
        : runs.noPairs
  const what = (run: Run) => {
    const [first, ...rest] = run.pair_ids
    return first === undefined
      ? ofAccounts(run)
      : rest.length === 0
        ? nameOf(first)
        : say(list.other, { name: nameOf(first), n: rest.length })
  }
  const { columns } = list
  return [
    {
      id: 'started',
      header: columns.started,
      width: '1fr',
      isTitle: true,
      cell: (run) => (
        <Link href={`/runs/${run.run_id}`} style={{ color: 'var(--mantine-color-anchor)' }}>
          <TimeText at={run.started_at} />
        </Link>
      ),
    },
    { id: 'pairs', header: columns.pairs, width: '2fr', cell: what },
    {
      id: 'result',
      header: columns.result,
      width: '1.2fr',
      cell: (run) => (
        <Group gap="xs">
          <RunBadge run={run} />
          {[run.dry_run ? runs.dryRun : null, undoneText(run)]
            .filter((text) => text !== null)
            .map((text) => (
              <Text key={text} size="sm" c="dimmed">
                {text}
              </Text>
            ))}
        </Group>
      ),
    },
    { id: 'changes', header: columns.changes, width: '1.5fr', cell: changesText },
    {
      id: 'duration',
      isBare: true,
      header: columns.duration,
      width: '5rem',
      cell: ({ duration_sec: seconds }) => durationText(seconds),
    },
    { id: 'source', isBare: true, header: columns.source, width: '8rem', cell: ({ source }) => sourceText(source) },
  ]
}
