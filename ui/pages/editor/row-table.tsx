// The table of rows with their changes, and its keys: typing starts a search.
import { Badge, Button, Group, Paper, Text, TextInput } from '@mantine/core'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { Endless } from '../../api/endless.ts'
import { DataTable, type Column, type Sort } from '../../parts/lists/data-table.tsx'
import { Thumb } from '../../parts/titles/thumb.tsx'
import { episodeCode } from '../../parts/values/episode.ts'
import { editor as texts } from '../../texts/en/editor.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import { exactTime } from '../../parts/values/time-text.tsx'
import { type Change, type Changes, type Kind, partOf, type Row, timeOf, titleOf } from './state.ts'

const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const COLORS = { add: 'green', edit: 'blue', remove: 'red', block: 'orange' } as const

interface RowTableProps {
  readonly kind: Kind | 'playlist'
  readonly rows: readonly Row[]
  readonly changes: Changes
  readonly blocks: ReadonlySet<string>
  readonly total: number
  readonly search: string
  readonly onSearch: (text: string) => void
  readonly onAdd: () => void
  readonly onOpen: (row: Row) => void
  /** Removes or blocks the selected rows. */
  readonly onRemove: ((rows: readonly Row[]) => void) | null
  readonly removeLabel: string
  readonly sort?: Sort | null
  readonly onSort?: (sort: Sort | null) => void
  readonly endless?: Endless
  readonly status: ReactNode
  /** An additional cell at the end of a row. */
  readonly extra?: Column<Row>
  readonly empty: ReactNode
}

export function RowTable(props: RowTableProps) {
  const { rows, changes, blocks, total, search, onSearch, onAdd, onOpen, onRemove, removeLabel, status, extra } = props
  const field = useRef<HTMLInputElement>(null)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const added = useMemo(
    () => [...changes.values()].flatMap((change) => (change.op === 'add' ? [change.row] : [])),
    [changes],
  )
  const known = useMemo(() => new Set(rows.map(({ key }) => key)), [rows])
  const all = useMemo(
    () => [...added.filter(({ key }) => !known.has(key)), ...rows.map((row) => shownOf(row, changes.get(row.key)))],
    [added, known, rows, changes],
  )
  const columns = useMemo(
    () => columnsOf({ kind: props.kind, changes, blocks, extra, isSorted: props.onSort !== undefined }),
    [props.kind, changes, blocks, extra, props.onSort],
  )
  const picked = all.filter(({ key }) => selected.has(key))

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const isText = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey
    if (!isText || (event.target as Element).getAttribute('role') !== 'grid') return
    event.preventDefault()
    field.current?.focus()
    onSearch(search + event.key)
  }

  return (
    <>
      <Group gap="sm" align="flex-end" role="search">
        <TextInput
          ref={field}
          type="search"
          label={texts.search}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search}
          maxLength={200}
          onChange={(event) => onSearch(event.currentTarget.value)}
          style={{ flex: '2 1 14rem' }}
        />
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={onAdd}>
          {texts.add}
        </Button>
      </Group>
      <Group justify="space-between" gap="xs" mih={26}>
        <Text size="sm" c="dimmed" role="status" component="div">
          {status}
        </Text>
        <Text size="xs" c="dimmed" visibleFrom="sm">
          {texts.keys}
        </Text>
      </Group>
      {picked.length === 0 || onRemove === null ? null : (
        <Paper withBorder px="md" py="xs">
          <Group justify="space-between" gap="xs">
            <Text size="sm">{say(texts.selected, { n: picked.length })}</Text>
            <Group gap="xs">
              <Button size="xs" variant="subtle" onClick={() => setSelected(new Set())}>
                {texts.unselect}
              </Button>
              <Button
                size="xs"
                color="red.9"
                onClick={() => {
                  onRemove(picked)
                  setSelected(new Set())
                }}
              >
                {removeLabel}
              </Button>
            </Group>
          </Group>
        </Paper>
      )}
      {all.length === 0 ? (
        props.empty
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: the grid within has the keys; typing goes to the search
        <div onKeyDown={onKeyDown}>
          <DataTable
            label={texts.label}
            columns={columns}
            rows={all}
            rowKey={keyOf}
            total={Math.max(total, all.length)}
            height="max(22rem, calc(100dvh - 22rem))"
            onOpen={onOpen}
            {...(onRemove === null ? {} : { selected, onSelect: setSelected })}
            {...(props.onSort === undefined ? {} : { sort: props.sort ?? null, onSort: props.onSort })}
            endless={props.endless}
          />
        </div>
      )}
    </>
  )
}

const keyOf = ({ key, entryId }: Row) => (entryId == null ? key : `${key} ${entryId}`)

function shownOf(row: Row, change: Change | undefined): Row {
  return change?.op === 'edit' ? { ...change.row, key: row.key } : row
}

export function valueText(item: Row['item']): string {
  const { rating, progress_percent: progress } = item
  if (typeof rating === 'number') return say(texts.values.rating, { n: rating })
  if (typeof progress === 'number') return say(texts.values.progress, { n: Math.round(progress) })
  return ''
}

export function whenOf(item: Row['item']): { readonly day: string; readonly exact: string } | null {
  const at = timeOf(item)
  if (at === null) return null
  const ms = Date.parse(at)
  return Number.isFinite(ms) ? { day: DAY.format(ms), exact: exactTime(ms) } : { day: at, exact: at }
}

export function nameOf(item: Row['item']): string {
  const { season, episode } = partOf(item)
  const code = episodeCode(season, episode)
  return [titleOf(item) || texts.untitled, ...(code === '' ? [] : [code])].join(' · ')
}

interface ColumnParts {
  readonly kind: Kind | 'playlist'
  readonly changes: Changes
  readonly blocks: ReadonlySet<string>
  readonly extra: Column<Row> | undefined
  readonly isSorted: boolean
}

function columnsOf({ kind, changes, blocks, extra, isSorted }: ColumnParts): readonly Column<Row>[] {
  const shows = (id: string) =>
    kind === 'playlist' ? id !== 'value' && id !== 'time' : id !== 'value' || kind === 'ratings' || kind === 'progress'
  const all: readonly Column<Row>[] = [
    {
      id: 'title',
      header: texts.columns.title,
      width: '3fr',
      isTitle: true,
      ...(isSorted ? { sortValue: () => null } : {}),
      cell: ({ key, item }) => {
        const name = nameOf(item)
        const isGone = changes.get(key)?.op === 'remove'
        return (
          <Group gap="xs" wrap="nowrap">
            <Thumb itemKey={key} title={name} />
            <Text size="sm" truncate title={name} dir="auto" td={isGone ? 'line-through' : undefined}>
              {name}
            </Text>
          </Group>
        )
      },
    },
    {
      id: 'kind',
      header: texts.columns.kind,
      width: '5.5rem',
      cell: ({ item: { type } }) => (
        <Text size="sm">{(texts.types as Readonly<Record<string, string>>)[String(type)] ?? String(type)}</Text>
      ),
    },
    {
      id: 'value',
      header: texts.columns.value,
      width: '6rem',
      cell: ({ item }) => <Text size="sm">{valueText(item)}</Text>,
    },
    {
      id: 'time',
      header: texts.columns.when,
      width: '8rem',
      ...(isSorted ? { sortValue: () => null } : {}),
      cell: ({ item }) => {
        const when = whenOf(item)
        return when === null ? null : (
          <Text size="sm" truncate title={when.exact}>
            {when.day}
          </Text>
        )
      },
    },
    {
      id: 'change',
      header: texts.columns.change,
      width: '8rem',
      cell: ({ key, isOwn }) => {
        const op = changes.get(key)?.op ?? (blocks.has(key) ? 'block' : undefined)
        if (op !== undefined)
          return (
            <Badge variant="light" color={COLORS[op]}>
              {texts.marks[op]}
            </Badge>
          )
        return isOwn === true ? <Badge variant="default">{texts.marks.own}</Badge> : null
      },
    },
    ...(extra === undefined ? [] : [extra]),
  ]
  return all.filter(({ id }) => shows(id))
}
