// All titles of all accounts: search, filters, posters or list. Pages load while scrolling.
import { Button, Group, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { useDebouncedValue, useLocalStorage } from '@mantine/hooks'
import { IconFilterOff, IconLibrary } from '@tabler/icons-react'
import { useMemo, type ReactNode } from 'react'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { NextStep } from '../../parts/page/next-step.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { Page } from '../../parts/page/page.tsx'
import { usePhone } from '../../parts/page/use-phone.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { FIELD, FilterPanel } from '../../parts/lists/filter-panel.tsx'
import { PersonFilter } from '../../parts/persons/person-filter.tsx'
import { useKnownPerson } from '../../parts/persons/persons.ts'
import { useNames } from '../../parts/values/names.ts'
import { library as texts } from '../../texts/en/library.ts'
import { say } from '../../texts/say.ts'
import { isFiltered, NO_FILTERS, queryOf, type Filters, SORTS } from './filters.ts'
import { sectionsOf } from './sections.ts'
import { Titles, type View } from './titles.tsx'
import { usePages } from './use-pages.ts'
import { serviceOption } from '../../parts/values/service-mark.tsx'

const TYPING_MS = 200
const KNOWN = { kind: Object.keys(texts.kinds), feature: Object.keys(texts.features), sort: Object.keys(SORTS) }

export default function Library() {
  const [filters, setFilters] = useAddressFilters<Filters>(NO_FILTERS, KNOWN)
  const [view, setView] = useLocalStorage<View>({
    key: 'playhead-library-view',
    defaultValue: 'wall',
    getInitialValueInEffect: false,
  })
  const [text] = useDebouncedValue(filters.text, TYPING_MS)
  const person = useKnownPerson(filters.person) ?? null
  const query = useMemo(() => queryOf({ ...filters, person, text }), [filters, person, text])
  const pages = usePages(query)
  const { first, error, retry } = pages
  const sections = useMemo(() => sectionsOf(first?.sections, filters.sort), [first?.sections, filters.sort])
  const isPhone = usePhone()
  const views = (
    <SegmentedControl
      aria-label={texts.views}
      data={[
        { value: 'wall', label: texts.wall },
        { value: 'rows', label: texts.rows },
      ]}
      value={view}
      onChange={(value) => setView(value as View)}
    />
  )
  return (
    <Page title={texts.title} text={texts.intro} isFilled>
      <Stack gap="sm" className="filled">
        <Toolbar
          filters={filters}
          onFilters={setFilters}
          aside={isPhone ? views : undefined}
          accounts={first?.accounts ?? []}
        />
        <Group justify="space-between" gap="xs" mih={24}>
          <Text size="sm" c="dimmed" role="status">
            {first === undefined ? '' : say(texts.shown, { n: first.total })}
          </Text>
          {first?.index.current === false ? (
            <Text size="sm" c="dimmed">
              {texts.reading}
            </Text>
          ) : null}
          {isPhone ? null : views}
        </Group>
        {error === null ? null : <Failure error={error} onRetry={retry} />}
        {first === undefined ? (
          error === null ? (
            <Loading rows={8} />
          ) : null
        ) : first.total > 0 ? (
          <Titles pages={pages} total={first.total} sections={sections} query={query} view={view} />
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
          <EmptyState icon={IconLibrary} title={texts.none} text={texts.noneText} action={<NextStep />} />
        )}
      </Stack>
    </Page>
  )
}

interface ToolbarProps {
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
  /** Beside the search. */
  readonly aside: ReactNode
  readonly accounts: readonly { readonly provider: string; readonly instance: string }[]
}

function Toolbar({ filters, onFilters, aside, accounts }: ToolbarProps) {
  const names = useNames()
  const set = (part: Partial<Filters>) => onFilters({ ...filters, ...part })
  const services = accounts.map(({ provider, instance }) => ({
    value: `${provider}@${instance}`,
    label: names.account(provider, instance),
  }))
  const count = [filters.kind, filters.account, filters.person, filters.feature, filters.missing].filter(
    (one) => one !== null,
  ).length
  const choices = (of: Readonly<Record<string, string>>) =>
    Object.entries(of).map(([value, label]) => ({ value, label }))
  return (
    <FilterPanel
      search={{ label: texts.search, value: filters.text, onChange: (text) => set({ text }) }}
      set={count}
      onClear={() => onFilters({ ...NO_FILTERS, sort: filters.sort })}
      aside={aside}
    >
      <Select
        label={texts.kind}
        placeholder={texts.allKinds}
        clearable
        data={choices(texts.kinds)}
        value={filters.kind}
        onChange={(kind) => set({ kind: kind as Filters['kind'] })}
        style={FIELD}
      />
      <PersonFilter value={filters.person} onChange={(person) => set({ person })} style={FIELD} />
      <Select
        label={texts.account}
        placeholder={texts.allAccounts}
        clearable
        data={services}
        renderOption={serviceOption}
        value={filters.account}
        onChange={(account) => set({ account })}
        style={FIELD}
      />
      <Select
        label={texts.feature}
        placeholder={texts.allFeatures}
        clearable
        data={choices(texts.features)}
        value={filters.feature}
        onChange={(feature) => set({ feature: feature as Filters['feature'] })}
        style={FIELD}
      />
      <Select
        label={texts.missing}
        placeholder={texts.noMissing}
        clearable
        data={services}
        renderOption={serviceOption}
        value={filters.missing}
        onChange={(missing) => set({ missing })}
        style={FIELD}
      />
      <Select
        label={texts.sort}
        data={choices(texts.sorts)}
        value={filters.sort}
        allowDeselect={false}
        onChange={(sort) => set({ sort: (sort ?? 'title') as keyof typeof SORTS })}
        style={FIELD}
      />
    </FilterPanel>
  )
}
