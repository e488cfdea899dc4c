// Runs with their problems, which load when a run is expanded.
import { ActionIcon, Anchor, Box, Group, Skeleton, Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useCallback, useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import { nowAtServiceMs } from '../../api/clock.ts'
import { featureName, useNames } from '../../parts/values/names.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { events } from '../../texts/en/events.ts'
import { say } from '../../texts/say.ts'
import { GroupBadge } from './group-badge.tsx'
import { MarkButton, Subject } from './cells.tsx'
import { queryOf } from './filters.ts'
import type { ViewProps } from './flat-views.tsx'
import { ListFrame } from './list-frame.tsx'
import { routeText } from '../../parts/values/event-route.ts'
import { useAcknowledge } from './use-acknowledge.ts'
import { useEventList, type RowOf } from './use-list.ts'
import { groupText, groupTitle, type EventGroup } from '../../parts/values/event-text.ts'

type Run = RowOf['tree']
type Branch =
  | { readonly kind: 'run'; readonly key: string; readonly group: Run; readonly isOpen: boolean }
  | { readonly kind: 'child'; readonly key: string; readonly group: EventGroup }
  | { readonly kind: 'more'; readonly key: string; readonly group: Run; readonly total: number }
  | { readonly kind: 'wait'; readonly key: string; readonly group: Run }

const SHOWN = 100
/** The button that unfolds a run, and the gap beside it. */
const UNDER_NAME = 'calc(1.75rem + var(--mantine-spacing-xs))'

export function TreeView({ filters, onChange }: ViewProps) {
  const found = useEventList('tree', filters)
  const [, navigate] = useLocation()
  const names = useNames()
  const { mutate: mark } = useAcknowledge(filters.visibility)
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const toggle = useCallback(
    (id: number) =>
      setOpened((now) => {
        const next = new Set(now)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    [],
  )
  const query = useMemo(() => queryOf(filters, nowAtServiceMs()), [filters])
  const openRuns = (found.rows ?? []).filter(({ id }) => opened.has(id))
  const children = useQueries({
    queries: openRuns.map(({ id, run_id: run }) => ({
      queryKey: ['events', 'children', id, query],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const { items } = await api('GET /api/events/tree', {
          query: { ...query, run_id: run ?? '', limit: 10 },
          signal,
        })
        return items.find((one) => one.id === id)?.children ?? []
      },
    })),
    combine: (results) =>
      new Map(
        results.map(({ data, isPending }, index) => [openRuns[index]?.id ?? -1, isPending ? null : (data ?? [])]),
      ),
  })
  const rows = useMemo(
    () =>
      (found.rows ?? []).flatMap((group): readonly Branch[] => {
        const isOpen = opened.has(group.id)
        const run: Branch = { kind: 'run', key: String(group.id), group, isOpen }
        if (!isOpen) return [run]
        const own = children.get(group.id)
        if (own == null) return [run, { kind: 'wait', key: `${group.id} wait`, group }]
        const shown = own
          .slice(0, SHOWN)
          .map((child): Branch => ({ kind: 'child', key: `${group.id} ${child.id}`, group: child }))
        return [
          run,
          ...shown,
          ...(group.children_total > shown.length
            ? [{ kind: 'more', key: `${group.id} more`, group, total: group.children_total } as const]
            : []),
        ]
      }),
    [found.rows, opened, children],
  )

  const columns = useMemo(
    (): readonly Column<Branch>[] => [
      {
        id: 'subject',
        header: events.columns.subject,
        width: '4fr',
        isTitle: true,
        cell: (row) => (
          <Title
            row={row}
            name={groupTitle(row.group, names.account)}
            text={groupText(row.group, names.account)}
            onToggle={toggle}
          />
        ),
      },
      {
        id: 'route',
        header: events.columns.route,
        width: '1.2fr',
        cell: (row) => (isGroup(row) ? routeText(row.group, names.account) : null),
      },
      {
        id: 'feature',
        header: events.columns.feature,
        width: '5rem',
        cell: (row) => (isGroup(row) && row.group.feature !== null ? featureName(row.group.feature) : null),
      },
      {
        id: 'status',
        header: events.columns.status,
        width: '8.5rem',
        cell: (row) => (isGroup(row) ? <GroupBadge group={row.group} /> : null),
      },
      {
        id: 'at',
        header: events.columns.at,
        width: '7rem',
        cell: (row) =>
          isGroup(row) ? (
            <Text span size="sm">
              <TimeText at={(row.group.last_event_at ?? 0) * 1000} />
            </Text>
          ) : null,
      },
      {
        id: 'actions',
        isControl: true,
        header: events.columns.actions,
        width: '3rem',
        cell: (row) =>
          isGroup(row) ? (
            <MarkButton
              id={row.group.id}
              name={groupTitle(row.group, names.account)}
              isSeen={row.group.acknowledged_at !== null}
              onMark={mark}
            />
          ) : null,
      },
    ],
    [names, toggle, mark],
  )

  return (
    <ListFrame view="tree" found={found as never} filters={filters} onChange={onChange}>
      <DataTable
        key={found.place}
        label={events.tables.tree}
        columns={columns}
        rows={rows}
        rowKey={({ key }) => key}
        height="fill"
        onOpen={({ group }) => navigate(`/events/groups/${group.id}`)}
        endless={found.list.list}
      />
    </ListFrame>
  )
}

function isGroup({ kind }: Branch): boolean {
  return kind === 'run' || kind === 'child'
}

function Title({
  row,
  name,
  text,
  onToggle,
}: {
  readonly row: Branch
  readonly name: string
  readonly text: string
  readonly onToggle: (id: number) => void
}) {
  const { kind, group } = row
  const href = `/events/groups/${group.id}`
  if (kind === 'wait')
    return (
      <Box pl={UNDER_NAME}>
        <Skeleton h={14} w="60%" />
      </Box>
    )
  if (kind === 'more')
    return (
      <Box pl={UNDER_NAME}>
        <Anchor component={Link} href={href} size="sm" underline="always">
          {say(events.moreChildren, { n: row.total })}
        </Anchor>
      </Box>
    )
  if (kind === 'child')
    return (
      <Box pl={UNDER_NAME}>
        <Subject href={href} name={name} year={group.year} text={text} />
      </Box>
    )
  const { children_total: total } = group as Run
  const Icon = row.isOpen ? IconChevronDown : IconChevronRight
  return (
    <Group gap="xs" wrap="nowrap">
      {total === 0 ? (
        <Box w={28} />
      ) : (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-expanded={row.isOpen}
          aria-label={say(row.isOpen ? events.collapse : events.expand, { name })}
          onClick={() => onToggle(group.id)}
        >
          <Icon size={18} />
        </ActionIcon>
      )}
      <Box style={{ minWidth: 0 }}>
        <Subject
          href={href}
          name={name}
          year={group.year}
          text={total === 0 ? text : say(events.troubles, { n: total })}
        />
      </Box>
    </Group>
  )
}
