// The lists of event groups and of single events.
import { Button, Group, Text } from '@mantine/core'
import { useEffect, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { featureName, useNames } from '../../parts/values/names.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { events } from '../../texts/en/events.ts'
import { say } from '../../texts/say.ts'
import { GroupBadge } from './group-badge.tsx'
import { MarkButton, Subject } from './cells.tsx'
import type { Filters } from './filters.ts'
import { ListFrame } from './list-frame.tsx'
import { routeText } from '../../parts/values/event-route.ts'
import { useAcknowledge } from './use-acknowledge.ts'
import { useEventList } from './use-list.ts'
import {
  eventSentence,
  eventTone,
  groupText,
  groupTitle,
  itemName,
  reasonSentence,
  typeText,
  type EventGroup,
  type EventRow,
} from '../../parts/values/event-text.ts'

export interface ViewProps {
  readonly filters: Filters
  readonly onChange: (part: Partial<Filters>) => void
}

const idOf = ({ id }: { readonly id: number }) => String(id)

export function GroupsView({ filters, onChange }: ViewProps) {
  const found = useEventList('groups', filters)
  const [, navigate] = useLocation()
  const names = useNames()
  const { mutate: mark, isPending } = useAcknowledge(filters.visibility)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list clears the selection
  useEffect(() => setSelected(new Set()), [found.place])

  const columns = useMemo(
    (): readonly Column<EventGroup>[] => [
      {
        id: 'subject',
        header: events.columns.subject,
        width: '4fr',
        isTitle: true,
        cell: (group) => (
          <Subject
            href={`/events/groups/${group.id}`}
            name={groupTitle(group, names.account)}
            year={group.year}
            text={groupText(group, names.account)}
          />
        ),
      },
      { id: 'route', header: events.columns.route, width: '1.2fr', cell: (group) => routeText(group, names.account) },
      {
        id: 'feature',
        header: events.columns.feature,
        width: '5rem',
        cell: ({ feature }) => (feature === null ? null : featureName(feature)),
      },
      { id: 'status', header: events.columns.status, width: '8.5rem', cell: (group) => <GroupBadge group={group} /> },
      {
        id: 'at',
        header: events.columns.at,
        width: '7rem',
        cell: ({ last_event_at: at }) => (
          <Text span size="sm">
            <TimeText at={(at ?? 0) * 1000} />
          </Text>
        ),
      },
      {
        id: 'actions',
        isControl: true,
        header: events.columns.actions,
        width: '3rem',
        cell: (group) => (
          <MarkButton
            id={group.id}
            name={groupTitle(group, names.account)}
            isSeen={group.acknowledged_at !== null}
            onMark={mark}
          />
        ),
      },
    ],
    [names, mark],
  )

  const bar =
    selected.size === 0 ? undefined : (
      <Group gap="xs">
        <Text size="sm">{say(events.selected, { n: selected.size })}</Text>
        <Button
          size="xs"
          loading={isPending}
          onClick={() =>
            mark(
              { ids: [...selected].map(Number), isSeen: filters.visibility !== 'acknowledged' },
              { onSuccess: () => setSelected(new Set()) },
            )
          }
        >
          {filters.visibility === 'acknowledged' ? events.unacknowledge : events.acknowledge}
        </Button>
        <Button size="xs" variant="subtle" onClick={() => setSelected(new Set())}>
          {events.clearSelection}
        </Button>
      </Group>
    )
  return (
    <ListFrame view="groups" found={found as never} filters={filters} onChange={onChange} bar={bar}>
      <DataTable
        key={found.place}
        label={events.tables.groups}
        columns={columns}
        rows={found.rows ?? []}
        rowKey={idOf}
        height="fill"
        onOpen={({ id }) => navigate(`/events/groups/${id}`)}
        selected={selected}
        onSelect={setSelected}
        {...(found.isCapped ? {} : { total: found.total })}
        endless={found.list.list}
      />
    </ListFrame>
  )
}

export function EventsView({ filters, onChange }: ViewProps) {
  const found = useEventList('events', filters)
  const [, navigate] = useLocation()
  const names = useNames()
  const columns = useMemo(
    (): readonly Column<EventRow>[] => [
      {
        id: 'subject',
        header: events.columns.subject,
        width: '4fr',
        isTitle: true,
        cell: (event) => (
          <Subject
            href={`/events/groups/${event.group_id}`}
            name={itemName(event) ?? typeText(event.event_type)}
            year={event.year}
            text={itemName(event) === null ? '' : eventSentence(event, names.account)}
          />
        ),
      },
      {
        id: 'reason',
        header: events.columns.reason,
        width: '2fr',
        cell: (event) => reasonSentence(event, names.account),
      },
      { id: 'route', header: events.columns.route, width: '1.2fr', cell: (event) => routeText(event, names.account) },
      {
        id: 'status',
        header: events.columns.event,
        width: '10rem',
        cell: (event) => <StatusBadge tone={eventTone(event)} label={typeText(event.event_type)} />,
      },
      {
        id: 'at',
        header: events.columns.at,
        width: '7rem',
        cell: ({ created_at: at }) => (
          <Text span size="sm">
            <TimeText at={at * 1000} />
          </Text>
        ),
      },
    ],
    [names],
  )
  return (
    <ListFrame view="events" found={found as never} filters={filters} onChange={onChange}>
      <DataTable
        key={found.place}
        label={events.tables.events}
        columns={columns}
        rows={found.rows ?? []}
        rowKey={idOf}
        height="fill"
        onOpen={({ group_id: id }) => navigate(`/events/groups/${id}`)}
        {...(found.isCapped ? {} : { total: found.total })}
        endless={found.list.list}
      />
    </ListFrame>
  )
}
