// Search, filters, order and view of the watchlist.
import { SegmentedControl, Select } from '@mantine/core'
import type { Sort } from '../../parts/lists/data-table.tsx'
import { FIELD, FilterPanel } from '../../parts/lists/filter-panel.tsx'
import { watchlist as texts } from '../../texts/en/watchlist.ts'
import { FIRST_SORT, NO_FILTERS, type Filters } from './filter.ts'
import { kindName, type Services } from './names.ts'
import type { List } from './rows.ts'

export type View = 'wall' | 'table'

const SORTS: Readonly<Record<keyof typeof texts.sorts, Sort>> = {
  newest: FIRST_SORT,
  oldest: { column: 'added', descending: false },
  title: { column: 'title', descending: false },
  yearDown: { column: 'year', descending: true },
  yearUp: { column: 'year', descending: false },
}

interface ToolbarProps {
  readonly list: List
  readonly services: Services
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
  readonly sort: Sort | null
  readonly onSort: (sort: Sort | null) => void
  readonly view: View
  readonly onView: (view: View) => void
}

export function Toolbar({ list, services, filters, onFilters, sort, onSort, view, onView }: ToolbarProps) {
  const set = (part: Partial<Filters>) => onFilters({ ...filters, ...part })
  const currentSort =
    Object.entries(SORTS).find(([, one]) => one.column === sort?.column && one.descending === sort.descending)?.[0] ??
    null
  const count = [filters.kind, filters.source, filters.year].filter((one) => one !== null).length
  return (
    <FilterPanel
      search={{ label: texts.search, value: filters.text, onChange: (text) => set({ text }) }}
      set={count}
      onClear={() => onFilters({ ...NO_FILTERS, sort: filters.sort })}
      aside={
        <SegmentedControl
          aria-label={texts.views}
          data={[
            { value: 'wall', label: texts.wall },
            { value: 'table', label: texts.table },
          ]}
          value={view}
          onChange={(value) => onView(value as View)}
        />
      }
    >
      <Select
        label={texts.kind}
        placeholder={texts.allKinds}
        clearable
        data={list.kinds.map((value) => ({ value, label: kindName(value, 'kindsMany') }))}
        value={filters.kind}
        onChange={(kind) => set({ kind })}
        style={FIELD}
      />
      <Select
        label={texts.provider}
        placeholder={texts.allProviders}
        clearable
        data={list.sources.map((value) => ({ value, label: services(value).label }))}
        value={filters.source}
        onChange={(source) => set({ source })}
        style={FIELD}
      />
      <Select
        label={texts.year}
        placeholder={texts.allYears}
        clearable
        searchable
        data={list.years.map(String)}
        value={filters.year}
        onChange={(year) => set({ year })}
        style={FIELD}
      />
      <Select
        label={texts.sort}
        data={Object.entries(texts.sorts).map(([value, label]) => ({ value, label }))}
        value={currentSort}
        placeholder={texts.sort}
        allowDeselect={false}
        onChange={(name) => onSort(SORTS[name as keyof typeof SORTS] ?? null)}
        style={FIELD}
      />
    </FilterPanel>
  )
}
