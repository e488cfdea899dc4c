// The items of a plan, filtered and paged by the service.
import { Badge, Button, Group, Select, Stack, Text } from '@mantine/core'
import { ChoiceChips } from '../lists/choice-chips.tsx'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearchOff } from '@tabler/icons-react'
import { useMemo } from 'react'
import { api } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import { plan as texts } from '../../texts/en/plan.ts'
import { say } from '../../texts/say.ts'
import { Thumb } from '../titles/thumb.tsx'
import { DataTable, type Column } from '../lists/data-table.tsx'
import { FIELD, FilterPanel } from '../lists/filter-panel.tsx'
import { EmptyState } from '../page/empty-state.tsx'
import { Failure } from '../page/failure.tsx'
import { Loading } from '../page/loading.tsx'
import {
  causesOf,
  countOf,
  KINDS,
  NO_FILTER,
  sidesOf,
  toQuery,
  type Filter,
  type Plan,
  type PlanEntry,
  type Side,
} from './kinds.ts'
import { useNames, type Names } from '../values/names.ts'
import { originText } from '../values/origin-text.ts'
import { causeText, reasonText, valueText, type SideNameOf } from './text.ts'

const PAGE = 200
const SEARCH_AFTER_MS = 250

interface EntriesProps {
  readonly plan: Plan
  readonly nameOf: SideNameOf
  readonly filter: Filter
  readonly onFilter: (filter: Filter) => void
}

export function PlanEntries({ plan, nameOf, filter, onFilter }: EntriesProps) {
  const [text] = useDebouncedValue(filter.text, SEARCH_AFTER_MS)
  const query = useEndless({
    key: ['plans', plan.plan_id, 'entries', { ...filter, text }],
    size: PAGE,
    read: ({ offset }, signal) =>
      api('GET /api/run/plan/{plan_id}', {
        params: { plan_id: plan.plan_id },
        query: { ...toQuery({ ...filter, text }), facets: false, offset, limit: PAGE },
        signal,
      }),
    rowsOf: ({ items }) => items,
    idOf,
    totalOf: ({ total }) => total,
    keepPrevious: true,
  })
  const { rows, total } = query
  const { account } = useNames()
  const columns = useMemo(() => columnsOf(plan, nameOf, account), [plan, nameOf, account])

  return (
    <Stack gap="sm">
      <Filters plan={plan} nameOf={nameOf} filter={filter} onFilter={onFilter} />
      {query.error === null ? null : <Failure error={query.error} onRetry={query.retry} />}
      {rows === undefined ? (
        <Loading rows={6} />
      ) : rows.length === 0 && query.error === null ? (
        <EmptyState
          icon={IconSearchOff}
          title={texts.nothing.title}
          text={texts.nothing.text}
          action={
            <Button variant="default" onClick={() => onFilter(NO_FILTER)}>
              {texts.nothing.action}
            </Button>
          }
        />
      ) : (
        <>
          <Text size="sm" c="dimmed" role="status">
            {say(texts.found, { n: total })}
          </Text>
          <DataTable
            label={texts.label}
            columns={columns}
            rows={rows}
            rowKey={idOf}
            total={total}
            endless={query.list}
          />
        </>
      )}
    </Stack>
  )
}

function Filters({ plan, nameOf, filter, onFilter }: EntriesProps) {
  const shown = KINDS.map((kind) => ({ kind, n: countOf(plan, kind) })).filter(
    ({ kind, n }) => n > 0 || kind === 'all' || kind === filter.kind,
  )
  const sides = sidesOf(plan).map((side) => ({ value: side, label: nameOf(side) }))
  const causes = causesOf(plan, filter).map(({ cause, label, count: n }) => ({
    value: cause,
    label: say(texts.filters.causeCount, { cause: causeText({ cause, cause_label: label }, nameOf), n }),
  }))
  return (
    <>
      <ChoiceChips
        label={texts.kindsLabel}
        options={shown.map(({ kind, n }) => ({ value: kind, label: say(texts.kinds[kind], { n }) }))}
        value={filter.kind}
        onChange={(kind) => onFilter({ ...filter, kind, cause: null })}
      />
      <FilterPanel
        search={{
          label: texts.filters.search,
          placeholder: texts.filters.searchHint,
          value: filter.text,
          onChange: (text) => onFilter({ ...filter, text }),
        }}
        set={[filter.side, filter.cause].filter((one) => one !== null).length}
        onClear={() => onFilter({ ...filter, side: null, cause: null })}
      >
        {sides.length < 2 ? null : (
          <Select
            label={texts.filters.side}
            placeholder={texts.filters.bothSides}
            data={sides}
            value={filter.side}
            onChange={(side) => onFilter({ ...filter, side: side as Side | null, cause: null })}
            clearable
            style={FIELD}
          />
        )}
        <Select
          label={texts.filters.cause}
          placeholder={texts.filters.everyCause}
          data={causes}
          value={filter.cause}
          onChange={(cause) => onFilter({ ...filter, cause })}
          clearable
          style={FIELD}
        />
      </FilterPanel>
    </>
  )
}

function columnsOf(plan: Plan, nameOf: SideNameOf, accountName: Names['account']): readonly Column<PlanEntry>[] {
  const hasValues = plan.feature !== 'watchlist' && plan.feature !== 'playlists'
  return [
    {
      id: 'title',
      header: texts.columns.title,
      width: '2fr',
      isTitle: true,
      cell: (entry) => (
        <Group gap="xs" wrap="nowrap">
          <Thumb itemKey={entry.key} title={entry.display_title} />
          <Text size="sm" truncate title={entry.display_title}>
            {entry.display_title}
          </Text>
          <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>
            {(texts.types as Readonly<Record<string, string>>)[entry.type] ?? entry.type}
          </Text>
        </Group>
      ),
    },
    { id: 'what', header: texts.columns.what, width: '1.3fr', cell: (entry) => <What entry={entry} nameOf={nameOf} /> },
    ...(hasValues
      ? [
          {
            id: 'value',
            header: texts.columns.value,
            width: '1.5fr',
            cell: (entry: PlanEntry) => valueText(plan, entry),
          },
        ]
      : []),
    {
      id: 'why',
      header: texts.columns.why,
      width: '1.4fr',
      cell: (entry) => {
        const reason = reasonText(entry)
        const act = originText(entry, plan.feature, accountName)
        return (
          <>
            {reason === null ? null : <Text size="sm">{reason}</Text>}
            <Text size={reason === null ? 'sm' : 'xs'} c={reason === null ? undefined : 'dimmed'}>
              {act ?? (reason === null ? causeText(entry, nameOf) : null)}
            </Text>
          </>
        )
      },
    },
  ]
}

const COLORS = { add: 'green', update: 'blue', remove: 'red' } as const
const QUIET: readonly string[] = ['filtered', 'deferred']

function What({ entry: { op, side, state }, nameOf }: { readonly entry: PlanEntry; readonly nameOf: SideNameOf }) {
  const color = state === 'held' ? 'orange' : QUIET.includes(state) ? 'gray' : COLORS[op]
  return (
    <Badge variant="light" tt="none" color={color}>
      {say(texts.ops[op], { side: nameOf(side) })}
    </Badge>
  )
}

const idOf = ({ n, side, op, key }: PlanEntry) => `${n} ${side} ${op} ${key}`
