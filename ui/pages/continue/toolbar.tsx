// Search, filters and order.
import { Button, Group, Select, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { continueWatching as texts } from '../../texts/en/continue.ts'
import type { List } from '../../parts/titles/positions.ts'

export interface Filters {
  readonly search: string
  readonly provider: string | null
  readonly type: keyof typeof texts.types | null
  readonly age: keyof typeof texts.ages | null
  readonly sort: keyof typeof texts.sorts
}

export const NO_FILTERS: Filters = { search: '', provider: null, type: null, age: null, sort: 'last_updated' }

export function isFiltered({ search, provider, type, age }: Filters): boolean {
  return search.trim() !== '' || provider !== null || type !== null || age !== null
}

export interface ToolbarProps {
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
  const narrow = { flex: '1 1 8rem', maxWidth: '14rem' }
  return (
    <Group gap="sm" align="flex-end" role="search">
      <TextInput
        type="search"
        label={texts.find}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={filters.search}
        maxLength={200}
        onChange={(event) => set({ search: event.currentTarget.value })}
        style={{ flex: '2 1 12rem' }}
      />
      <Select
        label={texts.service}
        placeholder={texts.allServices}
        clearable
        data={[...services].map(([value, label]) => ({ value, label }))}
        value={filters.provider}
        onChange={(provider) => set({ provider })}
        style={narrow}
      />
      <Select
        label={texts.type}
        placeholder={texts.allTypes}
        clearable
        data={types.map((value) => ({ value, label: texts.types[value] }))}
        value={filters.type}
        onChange={(type) => set({ type: type as Filters['type'] })}
        style={narrow}
      />
      <Select
        label={texts.age}
        placeholder={texts.anyTime}
        clearable
        data={Object.entries(texts.ages).map(([value, label]) => ({ value, label }))}
        value={filters.age}
        onChange={(age) => set({ age: age as Filters['age'] })}
        style={narrow}
      />
      <Select
        label={texts.sort}
        data={Object.entries(texts.sorts).map(([value, label]) => ({ value, label }))}
        value={filters.sort}
        allowDeselect={false}
        onChange={(sort) => set({ sort: (sort ?? 'last_updated') as Filters['sort'] })}
        style={narrow}
      />
      {isFiltered(filters) ? (
        <Button variant="subtle" onClick={() => onFilters({ ...NO_FILTERS, sort: filters.sort })}>
          {texts.clear}
        </Button>
      ) : null}
    </Group>
  )
}
