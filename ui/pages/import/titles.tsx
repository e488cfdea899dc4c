// Titles without ids, each listed once with suggestions. Pages load while scrolling, because each page queries suggestions.
import { Button, Group, Modal, Paper, Radio, Stack, Switch, Text, Title as Heading } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import { useChange } from '../../api/query.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { FilterPanel } from '../../parts/lists/filter-panel.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { TitleSearch, type Work } from '../../parts/titles/title-search.tsx'
import { imports } from '../../texts/en/import.ts'
import { say } from '../../texts/say.ts'
import type { Import, Title } from './state.ts'

const { titles: texts } = imports
const PAGE = 20
/** `left`: only titles without a choice. */
const NO_FILTERS = { text: '', left: false }
const SKIP = 'skip'
const TYPING_MS = 250
/** Height of a title with a few suggestions, in pixels. */
const USUAL_HEIGHT = 190

export function Titles({ one }: { readonly one: Import }) {
  const [filters, setFilters] = useAddressFilters(NO_FILTERS)
  const { text: search, left: isOpenOnly } = filters
  const [words] = useDebouncedValue(search.trim(), TYPING_MS)
  const query = useMemo(() => ({ open: isOpenOnly, ...(words === '' ? {} : { q: words }) }), [words, isOpenOnly])
  const params = { import_id: one.import_id }
  const list = useEndless({
    key: ['import', 'titles', one.import_id, query],
    size: PAGE,
    read: ({ offset }, signal) =>
      api('GET /api/import/{import_id}/titles', { params, query: { ...query, offset, limit: PAGE }, signal }),
    rowsOf: ({ titles }) => titles,
    idOf: ({ title }) => title,
    totalOf: ({ total }) => total,
    keepPrevious: true,
  })
  const choose = useChange('POST /api/import/{import_id}/choices', { refresh: [['import']] })
  const onChoose = (title: Title, choice: Chosen) =>
    choose.mutate({ params, body: { choices: [{ title: title.title, choice }] } })
  // Show the choice before the response arrives.
  const sent = choose.isPending ? choose.variables.body.choices[0] : undefined
  const titles = list.rows?.map((title) =>
    title.title === sent?.title ? { ...title, choice: sent.choice as Title['choice'] } : title,
  )
  const { open, total } = one.titles
  return (
    <Stack gap="sm" component="section" aria-label={texts.title}>
      <div>
        <Heading order={2} size="h4">
          {texts.title}
        </Heading>
        <Text size="sm" c="dimmed" role="status">
          {open === 0 ? texts.done : `${texts.text} ${say(texts.left, { open, total })}`}
        </Text>
      </div>
      {total <= PAGE && search === '' && !isOpenOnly ? null : (
        <FilterPanel
          search={{ label: texts.search, value: search, onChange: (text) => setFilters({ ...filters, text }) }}
          set={Number(isOpenOnly)}
          onClear={() => setFilters({ ...filters, left: false })}
        >
          <Group h={36}>
            <Switch
              label={texts.openOnly}
              checked={isOpenOnly}
              onChange={(event) => setFilters({ ...filters, left: event.currentTarget.checked })}
            />
          </Group>
        </FilterPanel>
      )}
      {choose.error === null ? null : <Failure error={choose.error} />}
      {list.error === null ? null : <Failure error={list.error} onRetry={list.retry} />}
      {list.first?.metadata_ready === false ? <Text size="sm">{texts.noMetadata}</Text> : null}
      {titles === undefined ? (
        list.error === null ? (
          <Loading rows={4} />
        ) : null
      ) : titles.length === 0 ? (
        <Text c="dimmed">{isOpenOnly && words === '' ? texts.done : texts.noMatch}</Text>
      ) : (
        <Choices titles={titles} onRange={list.list.onRange} onChoose={onChoose} />
      )}
    </Stack>
  )
}

type Chosen = 'skip' | null | Work

interface ChoicesProps {
  readonly titles: readonly Title[]
  readonly onRange: (from: number, to: number) => void
  readonly onChoose: (title: Title, choice: Chosen) => void
}

function Choices({ titles, onRange, onChoose }: ChoicesProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: titles.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => titles[index]?.title ?? index,
    estimateSize: () => USUAL_HEIGHT,
    overscan: 3,
    useFlushSync: false,
  })
  const items = virtual.getVirtualItems()
  const [from, to] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => onRange(from, to), [from, to, onRange])
  const height = virtual.getTotalSize()
  return (
    <div
      ref={scroller}
      className="wall"
      style={{ height: `min(${height}px, 70dvh)` }}
      role="region"
      aria-label={texts.list}
    >
      <div style={{ height, position: 'relative' }}>
        {items.map(({ index, key, start }) => (
          <div
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            className="virtual-row"
            style={{ transform: `translateY(${start}px)` }}
          >
            <Choice title={titles[index]!} onChoose={(choice) => onChoose(titles[index]!, choice)} />
          </div>
        ))}
      </div>
    </div>
  )
}

/** A choice has all ids of its work; a suggestion has some of them. */
function isSame(work: Pick<Work, 'type' | 'ids'>, choice: Pick<Work, 'type' | 'ids'>): boolean {
  return work.type === choice.type && Object.entries(work.ids).every(([scheme, id]) => choice.ids[scheme] === id)
}

function Choice({ title, onChoose }: { readonly title: Title; readonly onChoose: (choice: Chosen) => void }) {
  const [isSearching, setSearching] = useState(false)
  const { about, rows, suggestions, choice } = title
  const name = nameOf(about)
  const works: Work[] = (suggestions ?? []).map(({ type, ids, title: own, year }) => ({
    type: type === 'movie' ? 'movie' : 'show',
    ids,
    title: own,
    year,
  }))
  const chosen: Work | null =
    choice === null || choice === SKIP ? null : { title: about.title, year: null, ...choice, ids: choice.ids }
  // Add a choice that came from a search.
  if (chosen !== null && !works.some((work) => isSame(work, chosen))) works.unshift(chosen)
  const value = choice === SKIP ? SKIP : chosen === null ? '' : String(works.findIndex((work) => isSame(work, chosen)))
  return (
    <Paper withBorder p="md" mb="sm">
      <Radio.Group
        label={name}
        description={say(texts.rows, { n: rows })}
        styles={{ label: { fontWeight: 600, overflowWrap: 'anywhere' } }}
        value={value}
        onChange={(next) => onChoose(works[Number(next)] ?? SKIP)}
      >
        <Stack gap="xs" mt="xs">
          {works.map((work, index) => (
            <Radio
              key={JSON.stringify([work.type, work.ids])}
              value={String(index)}
              label={nameOf(work)}
              description={Object.entries(work.ids)
                .map(([scheme, id]) => `${scheme} ${id}`)
                .join(' · ')}
            />
          ))}
          {works.length === 0 ? (
            <Text size="sm" c="dimmed">
              {texts.none}
            </Text>
          ) : null}
          <Radio value={SKIP} label={texts.skip} />
        </Stack>
      </Radio.Group>
      <Button
        mt="xs"
        size="xs"
        variant="subtle"
        leftSection={<IconSearch size={14} aria-hidden />}
        aria-label={say(texts.otherOf, { title: name })}
        onClick={() => setSearching(true)}
      >
        {texts.other}
      </Button>
      <Modal
        opened={isSearching}
        onClose={() => setSearching(false)}
        title={say(texts.otherOf, { title: name })}
        size="lg"
      >
        <TitleSearch
          label={texts.search}
          onChoose={({ type, title: own, year, ids }) => {
            setSearching(false)
            onChoose({ type, title: own, year, ids })
          }}
        />
      </Modal>
    </Paper>
  )
}

function nameOf({ title, year }: { readonly title: string; readonly year: number | null }): string {
  return year === null ? title : `${title} (${year})`
}
