// The items of a run, filtered and paged by the service.
import { serviceText } from '../../texts/service-text.ts'
import { Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconFilterOff, IconListCheck } from '@tabler/icons-react'
import { useMemo } from 'react'
import { api } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { FIELD, FilterPanel } from '../../parts/lists/filter-panel.tsx'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { Thumb } from '../../parts/titles/thumb.tsx'
import { featureName, useNames, type Names } from '../../parts/values/names.ts'
import { originText } from '../../parts/values/origin-text.ts'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { runs } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'
import { outcomeLabel, type RunDetail, type RunItem } from './status.ts'

const PAGE_SIZE = 200
const TYPING_MS = 250
const idOf = ({ plan_id: plan, n }: RunItem) => `${plan} ${n}`
const OUTCOMES = [
  'applied',
  'already',
  'held',
  'not_found',
  'unsupported',
  'rejected',
  'rate_limited',
  'failed',
  'unknown',
  'deferred',
  'filtered',
] as const
const { items: texts } = runs
const KNOWN = { op: Object.keys(runs.ops), outcome: OUTCOMES, side: ['a', 'b'] }

interface Filters {
  readonly feature: string | null
  readonly side: string | null
  readonly op: string | null
  readonly outcome: string | null
  readonly text: string
}

const NO_FILTERS: Filters = { feature: null, side: null, op: null, outcome: null, text: '' }

interface RunItemsProps {
  readonly runId: string
  readonly pairs: RunDetail['pairs']
}

export function RunItems({ runId, pairs }: RunItemsProps) {
  const names = useNames()
  const [filters, setFilters] = useAddressFilters<Filters>(NO_FILTERS, KNOWN)
  const { text: typed, ...chosen } = filters
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS)
  const set = Object.values(chosen).filter((value) => value !== null).length
  const isFiltered = search !== '' || set > 0
  const params = {
    ...(Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== null)) as Record<
      keyof typeof chosen,
      never
    >),
    q: search === '' ? undefined : search,
  }

  const query = useEndless({
    key: ['runs', runId, 'items', params],
    size: PAGE_SIZE,
    read: ({ offset }, signal) =>
      api('GET /api/runs/{run_id}/items', {
        params: { run_id: runId },
        query: { ...params, offset, limit: PAGE_SIZE },
        signal,
      }),
    rowsOf: ({ items }) => items,
    idOf,
    totalOf: ({ total }) => total,
    keepPrevious: true,
  })
  const { rows, total } = query
  const sideName = useMemo(() => sidesOf(pairs, names), [pairs, names])
  const columns = useMemo(() => columnsFor(sideName, names.account), [sideName, names])
  const features = [...new Set(pairs.flatMap((pair) => pair.features.map(({ feature }) => feature)))]
  const change = (name: keyof Filters) => (value: string | null) => setFilters({ ...filters, [name]: value })
  const only = pairs.length === 1 ? pairs[0] : undefined
  const sides =
    only === undefined
      ? []
      : (['a', 'b'] as const).map((side) => ({ value: side, label: sideName({ pair_id: only.pair_id, side }) }))

  return (
    <Stack gap="sm" component="section">
      <Group justify="space-between" align="baseline" gap="xs">
        <Title order={2} size="h4">
          {texts.title}
        </Title>
        <Text size="sm" c="dimmed" role="status">
          {rows === undefined ? '' : say(texts.total, { n: total })}
        </Text>
      </Group>
      <FilterPanel
        search={{ label: texts.search, value: typed, onChange: (text) => setFilters({ ...filters, text }) }}
        set={set}
        onClear={() => setFilters({ ...NO_FILTERS, text: typed })}
      >
        <Filter
          label={texts.feature}
          value={filters.feature}
          onChange={change('feature')}
          data={features.map((value) => ({ value, label: featureName(value) }))}
        />
        {sides.length === 0 ? null : (
          <Filter label={texts.side} value={filters.side} onChange={change('side')} data={sides} />
        )}
        <Filter
          label={texts.op}
          value={filters.op}
          onChange={change('op')}
          data={Object.entries(runs.ops).map(([value, label]) => ({ value, label }))}
        />
        <Filter
          label={texts.outcome}
          value={filters.outcome}
          onChange={change('outcome')}
          data={OUTCOMES.map((value) => ({ value, label: outcomeLabel(value).label }))}
        />
      </FilterPanel>
      {query.error === null ? null : <Failure error={query.error} onRetry={query.retry} />}
      {rows === undefined ? (
        query.error === null ? (
          <Loading rows={6} />
        ) : null
      ) : rows.length > 0 ? (
        <DataTable label={texts.label} columns={columns} rows={rows} rowKey={idOf} total={total} endless={query.list} />
      ) : isFiltered ? (
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
        <EmptyState icon={IconListCheck} title={texts.none} text={texts.noneText} />
      )}
    </Stack>
  )
}

function Filter({
  label,
  value,
  onChange,
  data,
}: {
  readonly label: string
  readonly value: string | null
  readonly onChange: (value: string | null) => void
  readonly data: { readonly value: string; readonly label: string }[]
}) {
  return (
    <Select
      label={label}
      placeholder={texts.all}
      clearable
      style={FIELD}
      value={value}
      onChange={onChange}
      data={data}
    />
  )
}

type SideName = (item: Pick<RunItem, 'pair_id' | 'side'>) => string

function sidesOf(pairs: RunDetail['pairs'], names: Names): SideName {
  const known = new Map(
    pairs.flatMap(({ pair_id: id, features }) => {
      const sides = features.find((feature) => feature.sides !== null)?.sides
      return sides === undefined || sides === null
        ? []
        : (['a', 'b'] as const).map(
            (side) => [`${id} ${side}`, names.account(sides[side].provider, sides[side].instance)] as const,
          )
    }),
  )
  return ({ pair_id: id, side }) => known.get(`${id} ${side}`) ?? side.toUpperCase()
}

function columnsFor(sideName: SideName, accountName: Names['account']): readonly Column<RunItem>[] {
  const { columns } = texts
  return [
    {
      id: 'title',
      header: columns.title,
      width: '2fr',
      isTitle: true,
      cell: ({ key, display_title: title, year }) => (
        <Group gap="xs" wrap="nowrap">
          <Thumb itemKey={key} title={title} />
          <Text inherit truncate title={title}>
            {title}
            {year === null ? null : (
              <Text span inherit c="dimmed">
                {' '}
                ({String(year)})
              </Text>
            )}
          </Text>
        </Group>
      ),
    },
    { id: 'feature', header: columns.feature, width: '7rem', cell: ({ feature }) => featureName(feature) },
    { id: 'op', header: columns.op, width: '6rem', cell: ({ op }) => runs.ops[op] },
    { id: 'side', header: columns.side, width: '1fr', cell: sideName },
    {
      id: 'outcome',
      header: columns.outcome,
      width: '10rem',
      cell: ({ outcome, undone }) => {
        const { tone, label } = outcomeLabel(outcome)
        return (
          <Group gap="xs">
            <StatusBadge tone={tone} label={label} />
            {undone ? (
              <Text size="sm" c="dimmed">
                {texts.undone}
              </Text>
            ) : null}
          </Group>
        )
      },
    },
    {
      id: 'why',
      header: columns.why,
      width: '2fr',
      cell: (item) => {
        const { feature, reason_label: reason, cause_label: cause } = item
        const text = serviceText(reason) ?? originText(item, feature, accountName) ?? serviceText(cause)
        return (
          <Text inherit size="sm" c="dimmed" truncate title={text}>
            {text}
          </Text>
        )
      },
    },
  ]
}
