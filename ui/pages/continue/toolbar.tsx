import { Select } from '@mantine/core'
import { FIELD, FilterPanel } from '../../parts/lists/filter-panel.tsx'
import { continueWatching as texts } from '../../texts/en/continue.ts'
import type { List } from '../../parts/titles/positions.ts'
import { serviceOption } from '../../parts/values/service-mark.tsx'

export interface Filters {
  readonly search: string
  readonly provider: string | null
  readonly type: keyof typeof texts.types | null
  readonly age: keyof typeof texts.ages | null
  readonly sort: keyof typeof texts.sorts
}

export const NO_FILTERS: Filters = { search: '', provider: null, type: null, age: null, sort: 'last_updated' }

export function isFiltered(filters: Filters): boolean {
  return filters.search.trim() !== '' || countOf(filters) > 0
}

/** The number of active filters, without the search. */
function countOf({ provider, type, age }: Filters): number {
  return [provider, type, age].filter((one) => one !== null).length
}

interface ToolbarProps {
  readonly providers: List['providers']
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
}

export function Toolbar({ providers, filters, onFilters }: ToolbarProps) {
  const set = (part: Partial<Filters>) => onFilters({ ...filters, ...part })
  const shown = providers.filter(({ included, read }) => included && read)
  const services = new Map(shown.map(({ provider, provider_label: label }) => [provider, label]))
  const types = [
    ...(shown.some((one) => one.supports_movies) ? (['movie'] as const) : []),
    ...(shown.some((one) => one.supports_episodes) ? (['episode'] as const) : []),
    ...(shown.some((one) => one.supports_anime) ? (['anime_episode'] as const) : []),
  ]
  return (
    <FilterPanel
      search={{ label: texts.search, value: filters.search, onChange: (search) => set({ search }) }}
      set={countOf(filters)}
      onClear={() => onFilters({ ...NO_FILTERS, search: filters.search, sort: filters.sort })}
    >
      <Select
        label={texts.service}
        placeholder={texts.allServices}
        clearable
        data={[...services].map(([value, label]) => ({ value, label }))}
        renderOption={serviceOption}
        value={filters.provider}
        onChange={(provider) => set({ provider })}
        style={FIELD}
      />
      <Select
        label={texts.type}
        placeholder={texts.allTypes}
        clearable
        data={types.map((value) => ({ value, label: texts.types[value] }))}
        value={filters.type}
        onChange={(type) => set({ type: type as Filters['type'] })}
        style={FIELD}
      />
      <Select
        label={texts.age}
        placeholder={texts.anyTime}
        clearable
        data={Object.entries(texts.ages).map(([value, label]) => ({ value, label }))}
        value={filters.age}
        onChange={(age) => set({ age: age as Filters['age'] })}
        style={FIELD}
      />
      <Select
        label={texts.sort}
        data={Object.entries(texts.sorts).map(([value, label]) => ({ value, label }))}
        value={filters.sort}
        allowDeselect={false}
        onChange={(sort) => set({ sort: (sort ?? 'last_updated') as Filters['sort'] })}
        style={FIELD}
      />
    </FilterPanel>
  )
}
