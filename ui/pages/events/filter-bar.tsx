// The filters of the event list.
import { Anchor, Button, Collapse, Group, NativeSelect, Pill, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { ChoiceChips } from '../../parts/lists/choice-chips.tsx'
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks'
import { IconFilter } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/query.ts'
import { FilterPanel } from '../../parts/lists/filter-panel.tsx'
import { usePhone } from '../../parts/page/use-phone.ts'
import { featureName, useNames } from '../../parts/values/names.ts'
import { events } from '../../texts/en/events.ts'
import { say } from '../../texts/say.ts'
import { NARROWING, STANDARD, type Domain, type Filters, type Time, type Visibility } from './filters.ts'
import { reasonText, typeText } from '../../parts/values/event-text.ts'

interface FilterBarProps {
  readonly filters: Filters
  readonly onChange: (part: Partial<Filters>) => void
}

const TYPING_MS = 250
/** The search and the controls beside the panel. */
const BESIDE: readonly (keyof Filters)[] = ['q', 'view', 'category']
const CATEGORIES = Object.keys(events.categories) as (keyof typeof events.categories)[]

export function FilterBar({ filters, onChange }: FilterBarProps) {
  const isPhone = usePhone()
  const [isOpen, { toggle }] = useDisclosure(false)
  const [text, setText] = useState(filters.q)
  const tell = useDebouncedCallback((q: string) => onChange({ q }), TYPING_MS)
  useEffect(() => setText(filters.q), [filters.q])
  const clear = () => onChange({ ...STANDARD, view: filters.view })
  const set = (Object.keys(STANDARD) as (keyof Filters)[]).filter((name) => filters[name] !== STANDARD[name])
  return (
    <Stack gap="sm">
      <FilterPanel
        search={{
          label: events.search,
          value: text,
          onChange: (q) => {
            setText(q)
            tell(q)
          },
        }}
        set={set.filter((name) => !BESIDE.includes(name)).length}
        onClear={clear}
      >
        <NativeSelect
          label={events.visibility}
          value={filters.visibility}
          onChange={(event) => onChange({ visibility: event.currentTarget.value as Visibility })}
          data={options(events.visibilities)}
        />
        {isPhone ? (
          <MoreFilters filters={filters} onChange={onChange} />
        ) : (
          <Button
            variant="default"
            onClick={toggle}
            aria-expanded={isOpen}
            leftSection={<IconFilter size={16} aria-hidden />}
          >
            {events.moreFilters}
          </Button>
        )}
      </FilterPanel>
      <ChoiceChips
        label={events.category}
        options={CATEGORIES.map((value) => ({ value, label: events.categories[value] }))}
        value={filters.category === '' ? 'all' : filters.category}
        onChange={(value) => onChange({ category: value === 'all' ? '' : value })}
      />
      {filters.category === 'problems' ? (
        <Text size="sm">
          {events.pastProblems}{' '}
          <Anchor component={Link} href="/problems" inherit underline="always">
            {events.toProblems}
          </Anchor>
        </Text>
      ) : null}
      <Collapse expanded={isOpen && !isPhone}>
        {isOpen && !isPhone ? <MoreFilters filters={filters} onChange={onChange} /> : null}
      </Collapse>
      <Chosen filters={filters} onChange={onChange} />
    </Stack>
  )
}

function MoreFilters({ filters, onChange }: FilterBarProps) {
  const { data: providers } = useRead(['pairs', 'providers'], 'GET /api/sync/providers', undefined, {
    staleTime: 300_000,
  })
  const { data: features } = useRead(['pairs', 'features'], 'GET /api/sync/features', undefined, { staleTime: 300_000 })
  const { data: status } = useRead(['events', 'status'], 'GET /api/events/status', undefined, { staleTime: 60_000 })
  const any = { value: '', label: events.any }
  const select = <Name extends keyof Filters>(name: Name, label: string, data: { value: string; label: string }[]) => (
    <NativeSelect
      label={label}
      value={filters[name]}
      data={data}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  )
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} p="3xs">
      {select('domain', events.domain, options(events.domains))}
      {select('provider', events.provider, [
        any,
        ...(providers ?? []).map(({ name, label }) => ({ value: name, label })),
      ])}
      {select('feature', events.feature, [
        any,
        ...(features?.features ?? []).map(({ feature, label }) => ({ value: feature, label })),
      ])}
      {select('event_type', events.type, [
        any,
        ...Object.keys(status?.by_type ?? {})
          .map((value) => ({ value, label: typeText(value) }))
          .toSorted((a, b) => a.label.localeCompare(b.label)),
      ])}
      {select('time', events.time, options(events.times))}
      <TextInput
        type="date"
        label={events.until}
        value={filters.until}
        onChange={(event) => onChange({ until: event.currentTarget.value })}
      />
      {select('order', events.order, options(events.orders))}
    </SimpleGrid>
  )
}

function Chosen({ filters, onChange }: FilterBarProps) {
  const names = useNames()
  const chosen = NARROWING.filter(
    (name): name is Exclude<typeof name, 'q' | 'category'> =>
      name !== 'q' && name !== 'category' && filters[name] !== '',
  )
  if (chosen.length === 0 && filters.domain === STANDARD.domain) return null
  const labels = {
    provider: events.provider,
    feature: events.feature,
    event_type: events.type,
    reason_code: events.reason,
    run_id: events.run,
    time: events.time,
    until: events.until,
  } as const
  const format: Partial<Record<keyof Filters, (value: string) => string>> = {
    provider: names.account,
    feature: featureName,
    reason_code: reasonText,
    event_type: typeText,
    time: (value) => events.times[value as Time],
  }
  const pills = [
    ...(filters.domain === STANDARD.domain
      ? []
      : [
          {
            name: 'domain' as const,
            text: say(events.chosen, { what: events.domain, value: events.domains[filters.domain as Domain] }),
          },
        ]),
    ...chosen.map((name) => ({
      name,
      text: say(events.chosen, { what: labels[name], value: format[name]?.(filters[name]) ?? filters[name] }),
    })),
  ]
  return (
    <Group gap="xs" role="group" aria-label={events.active}>
      {pills.map(({ name, text }) => (
        <Pill
          key={name}
          size="md"
          withRemoveButton
          onRemove={() => onChange({ [name]: STANDARD[name] })}
          removeButtonProps={{ 'aria-label': say(events.remove, { name: text }), 'aria-hidden': false, tabIndex: 0 }}
        >
          {text}
        </Pill>
      ))}
    </Group>
  )
}

function options(texts: Readonly<Record<string, string>>): { value: string; label: string }[] {
  return Object.entries(texts).map(([value, label]) => ({ value, label }))
}
